"""Language models: optional, behind one protocol, and never trusted to keep a shape."""
