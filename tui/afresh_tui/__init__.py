"""The terminal UI: screens, widgets and messages over the engine, through `afresh.client`."""
