"""An application that fails when it is imported."""

raise RuntimeError("mine")
