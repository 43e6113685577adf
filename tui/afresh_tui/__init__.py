"""The terminal UI of afresh, over the same engine as every face, through `afresh.client`.

How a screen plugs in
---------------------
A screen is one module in `screens/` with one class over `screens.base.AfreshScreen`, and `screens.SCREENS`
names it. The class says

- `NAME`, its mode and the first part of its keys' ids, and `ABOUT`, what `?` tells of it;
- `ACTS`, a tuple of `actions.Act`: a key, two words for the key bar, a sentence for palette and help. Each
  has a method `action_<name>`, and `can(name)` says whether it makes sense now. The key bar, the command
  palette, the help and the keys of the configuration file all come from this one list. Digits, `?`, `q`
  and ctrl+p are the app's;
- `compose_body()`, which yields its widgets, and `reload()`, which is called when it is first shown and
  when a new keeper answers;
- `workspace_changed(event)`, for what happens meanwhile.

It asks with `await self.engine.ask(verb, arguments, on_event=…)` inside a worker (`@work(exclusive=True,
group=…)`): the result has the verb's type of `afresh.verbs`, a cancelled worker takes the call back, and
an `AfreshError` goes to `self.fail(error)`. `await self.place()` is the workspace's project and root.
Time, zone, polling, blinking and waiting come from `self.conditions`, never from elsewhere. Every text
that others wrote passes through `inert.inert` (or `inert.Shown`, where offsets into it matter) before it
is shown.

Lists are `widgets.virtual_list.VirtualList`, long texts `widgets.text_view.TextView`: both render what is
seen and no more. Colours are the theme's variables (`$text-muted`, `$text-success`, `$match`,
`$diff-added` …, all of them in `themes.py`), and no meaning is told by colour alone. Below 100 columns a
screen has the class `-narrow`, from 120 `-wide`, else `-normal`; below 30 rows `-short`, else `-tall`.

In tests `scripted.ScriptedEngine` answers; `tests/tui/frozen.py` has an app over it in which nothing
moves.
"""
