"""The shell's own markup and styles, and the style a program's view starts from.

The waiting bars are there before any script has run, and stay where scripts are off.
"""

from typing import Final

BASE_STYLE: Final = r"""
@layer {
html { overflow-y: hidden; background: transparent; color: var(--color-text-primary, CanvasText);
  font: 14px/1.5 var(--font-sans, system-ui, sans-serif); overflow-wrap: break-word; }
body { margin: 0; padding: 4px; }
h1, h2, h3, h4 { margin: 0 0 .5em; line-height: 1.25; font-weight: 600; }
h1 { font-size: 1.4em; } h2 { font-size: 1.2em; } h3, h4 { font-size: 1em; }
p, ul, ol, dl, table, figure, pre, blockquote { margin: 0 0 .75em; }
body > :nth-last-child(1 of :not(script, style)) { margin-bottom: 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .35em 0; padding-inline-end: 1em; text-align: start; vertical-align: top;
  border-bottom: 1px solid var(--color-border-primary, color-mix(in srgb, CanvasText 18%, transparent)); }
th { font-weight: 600; } th:last-child, td:last-child { padding-inline-end: 0; }
img, svg, video, canvas { max-width: 100%; } img, video { height: auto; }
code, pre, kbd { font-family: var(--font-mono, ui-monospace, monospace); font-size: .93em; }
pre { overflow-x: auto; } button, input, select, textarea { font: inherit; }
@media (prefers-contrast: more) { html { color: CanvasText; } th, td { border-color: CanvasText; } }
}
"""
"""In a layer, so that whatever the view's own styles say stands above it."""

PAGE: Final = r"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta id="policy" http-equiv="Content-Security-Policy" content="POLICY_TEXT">
<meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width">
<title>View</title>
<style id="theme"></style>
<style>
html { overflow-y: hidden; background: transparent; font: 14px/1.5 var(--font-sans, system-ui, sans-serif);
  color: var(--color-text-secondary, CanvasText); }
body { margin: 0; min-height: 1px; }
iframe { display: block; width: 100%; height: 1px; border: 0; }
[hidden] { display: none !important; }
#note { margin: 0; padding: 4px; }
#waiting { padding: 10px 4px; display: grid; gap: 10px; }
#waiting i { width: 78%; height: 10px; border-radius: 5px; background: currentColor; opacity: .14; }
#waiting i:first-child { width: 32%; } #waiting i:last-child { width: 64%; }
#bar { text-align: end; font-size: 12px; }
button { height: 24px; padding: 0 4px; border: 0; background: none; color: inherit; font: inherit; cursor: pointer; }
button:hover { text-decoration: underline; }
@media (forced-colors: active) { #waiting i { background: CanvasText; forced-color-adjust: none; } }
@media (prefers-reduced-motion: no-preference) {
  #waiting { animation: breathe 1.6s ease-in-out infinite alternate; }
  @keyframes breathe { to { opacity: .5; } }
}
</style>
</head>
<body>
<div id="waiting" role="status" aria-label="Waiting for the view"><i></i><i></i><i></i></div>
<p id="note" role="status" hidden></p>
<div id="bar" hidden><button type="button">Full screen</button></div>
<script type="text/plain" id="prelude">PRELUDE_TEXT</script>
<script type="text/plain" id="base-style">BASE_STYLE</script>
<script>CLIENT_TEXT</script>
</body>
</html>
"""
