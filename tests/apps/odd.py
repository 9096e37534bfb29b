"""HTML as programs write it, and as they should not."""

DEEP = 5000
ROWS = "".join(f"<tr><td>{number}<td>row {number} of a long table" for number in range(1, 8_000))

ODD = {
    "a fragment": "<h1>Orders</h1><p>one<p>two<p>the end",
    "text alone": "no markup at all & nothing escaped < 3, the end",
    "a whole document": (
        "<!DOCTYPE html><html lang='fr' class='a'><head><meta charset='utf-8'><title>Titre</title>"
        "<style>body.x { padding: 40px } h1 { color: red }</style></head><body class='x'><h1>Bonjour</h1><p>the end"
        "</body></html>"
    ),
    "an old document": (
        "<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'><HTML><BODY><CENTER><FONT size=5>old</FONT></CENTER>the end"
    ),
    "two bodies": "<body class='one'><p>one</p><body class='two' data-x='y'><html id='z'><p>the end</p>",
    "a declaration of XML": "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body><p>the end</p>"
    "</body>",
    "null bytes": "<p>a\0b\0</p><p ti\0tle='x'>c</p>\0<p>the end",
    "control characters": "<p>a\x01\x08\x0b\x0c\x1b\x7f\x80\x9fb</p><p>the end",
    "the end of a script": "<p>one</p></script></style></title><p>the end",
    "a script that holds its own end": "<p id='o'></p><script>document.getElementById('o').textContent = '<\\/script>';"
    "</script><p>the end",
    "a loop over links": "<p id='o'></p><script>const links = ['the', 'end'], objects = [' '];let said = links[0];"
    "for(let i=0;i<objects.length;i++)said+=objects[i];for(let i=1;i<links.length;i++)said+=links[i];"
    "document.getElementById('o').textContent = said;</script>",
    "an attribute's name in words": "<p>http-equiv, the end",
    "names that begin as others do": "<style>link-card, object-list { display: block }</style>"
    "<link-card>one</link-card><link-card>two</link-card><object-list>the end</object-list>",
    "the end of a section": "<p>]]> and <![CDATA[ hidden? ]]></p><svg><text y='20'><![CDATA[<drawn>]]></text></svg>"
    "<p>the end",
    "comments": "<!-- a --><!----><!--> b --><!-- -- --!> c <!- d -><p>the end",
    "a comment in a script": "<p>one</p><script><!-- <script> \n var x = '<!-- <script>'; //--></script></script>"
    "<p>the end",
    "a comment that does not end": "<p>the end</p><!-- and then <p>nothing",
    "tags that do not end": "<div><b><i><p>one<table><tr><td>two</b><p>the end",
    "tags in the wrong order": "<b><p>one</b></i></p></div></span></table><p>the end</p></b>",
    "an attribute that does not end": "<p>the end</p><p title='and then <p>nothing",
    "a tag that does not end": "<p>the end</p><p",
    "a text area that does not end": "<p>the end</p><textarea>and <p>then",
    "plain text to the end": "<p>one</p><plaintext>and <p>the end",
    "a title in the middle": "<p>one</p><title>two</title><p>the end",
    "without scripts": "<p>one</p><noscript><p>two</p></noscript><p>the end",
    "a template": "<p>one</p><template><p>hidden</p></template><p>the end",
    "a shadow tree": "<div><template shadowrootmode='open'><p>shadow</p><slot></slot></template>light</div><p>the end",
    "a select with more": "<select><optgroup label='x'><option>one<option>two</select><p>the end",
    "tables in tables": "<table><tr><td><table><tr><td>inner</table>outer<div>foster</table><p>the end",
    "a base": "<base href='https://example.com/'><a href='x'>link</a><p>the end",
    "another encoding": "<meta charset='utf-16'><p>naïve — 日本語 🙂</p><p>the end",
    "an encoding of letters": "<meta charset='utf-7'><p>+ADw-b+AD4- é</p><p>the end",
    "an encoding by its header": "<meta http-equiv='content-type' content='text/html; charset=x-user-defined'><p>é</p>"
    "<p>the end",
    "a byte order mark": "\ufeff<p>one</p>\ufeff<p>the end",
    "pairs and marks": "<p>🙂👩‍👩‍👧 e\u0301 \u200b\u200e\u2028\u2029 \ufffe\uffff</p><p>the end",
    "halves of a pair": "<p>a\ud83db\ude42c</p><p>the end",
    "right to left": "<p dir='rtl'>שלום עולם 123 مرحبا</p><p>the end",
    "turned around": "<p>\u202eabc\u202c \u2067ג\u2069</p><p>the end",
    "Chinese, Japanese and Korean": "<p lang='zh'>你好，世界。</p><p lang='ja'>こんにちは</p>"
    "<p lang='ko'>안녕하세요</p><p>the end",
    "entities": "<p>&amp;&lt;&#x1F642;&nbsp;&notin;&bogus;&#0;&#128;&#xD800;</p><p>the end",
    "mathematics and a drawing": "<math><mfrac><mi>a</mi><mn>2</mn></mfrac></math>"
    "<svg width='50' height='50'><circle r='9'/>"
    "</svg><p>the end",
    "names that hide others": "<form name='getElementById' id='documentElement'><input name='style'></form>"
    "<img name='forms' alt=''><p>the end",
    "many attributes": f"<p {' '.join(f'a{number}=x' for number in range(2000))}>one</p><p>the end",
    "a very long word": f"<p>{'w' * 20_000}</p><p>the end",
    "very many lines": f"<pre>{'line' + chr(10) * 3000}</pre><p>the end",
    "very deep": "<div>" * DEEP + "<p>the end",
    "very deep, in spans": "<span>" * DEEP + "the end",
    "policy of its own": "<meta http-equiv='Content-Security-Policy' content=\"style-src 'none'\"><p>one</p><p>the end",
    "four megabytes": f"<p>the end</p><!--{'x' * 4_000_000}--><p>and more",
    "a very long table": f"<table>{ROWS}</table><p>the end",
}
"""By what is odd about it."""
