"""``python -m connecta``."""

from connecta.local.cli import main

raise SystemExit(main())
