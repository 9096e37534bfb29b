"""Search alone, how fast and how good: ``python -m bench.search`` from the repository's root. Nothing is kept."""

import json

from bench.report import print_search_quality, print_search_speed
from bench.search_quality import DATA, compare_quality
from bench.search_speed import measure_search_speed

if __name__ == "__main__":
    print_search_quality(compare_quality())
    print_search_speed(measure_search_speed(json.loads(DATA.read_text())))
