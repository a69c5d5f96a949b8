import { expect, test } from 'bun:test'
import { renderToStaticMarkup } from 'react-dom/server'
import { Markdown, plainText } from './markdown.tsx'

const html = (text: string) => renderToStaticMarkup(<Markdown text={text} />)

/** What a page may contain: these elements, and no attribute but these. */
const permitted =
  /<\/?(?:div|p|h[2-6]|a|ul|ol|li|em|strong|del|code|pre|blockquote|br|hr|table|thead|tbody|tr|t[hd]|input)(?: (?:class|dir|title|start|type|disabled|checked|align|style)="[^"<>]*"| href="(?:https?:\/\/|mailto:|tel:|\/(?![/\\\s]))[^"<>]*")* ?\/?>/gi

test.each([
  '<script>alert(1)</script>',
  'a <img src=x onerror=alert(1)> b',
  '<svg/onload=alert(1)>',
  '<iframe src="https://evil.example"></iframe>',
  '<style>*{display:none}</style>',
  '[a](javascript:alert(1))',
  '[a](JaVaScRiPt:alert(1))',
  '[a](&#106;avascript:alert(1))',
  '[a](java\nscript:alert(1))',
  '[a](<javascript:alert(1)>)',
  '[a]( \tjavascript:alert(1))',
  '[a](data:text/html,<script>alert(1)</script>)',
  '[a](vbscript:x)',
  '[a](//evil.example)',
  '[a](/\\evil.example)',
  '[a](file:///etc/passwd)',
  '[a](https://x.example/"onmouseover="alert(1))',
  '[a](https://x.example "t\\" onclick=\\"alert(1)")',
  '![a"onerror="alert(1)](https://evil.example/x.png)',
  '![a](javascript:alert(1))',
  '[![a](https://evil.example/x.png)](javascript:alert(1))',
  '<javascript:alert(1)>',
  '<https://x.example/"onclick=1>',
  '[a]: javascript:alert(1)\n\n[a]',
  '```"><script>\n</code></pre><script>alert(1)</script>\n```',
  '``` html onload=alert(1)\nx\n```',
  '    <script>alert(1)</script>',
  '| a |\n|:-:|\n| <b onclick=alert(1)>x</b> |',
  '# <a href="javascript:alert(1)">x</a>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '- [x] <input autofocus onfocus=alert(1)>',
  '\u202e<b>evil</b>',
  '[a](</\t/evil.example>)',
  '[a](&#x2F;&#x2F;evil.example)',
  '[a](java&Tab;script&colon;alert(1))',
  '[a](<java\nscript:alert(1)>)',
  '[a](&#1;javascript:alert(1))',
  '[a](https:\\\\evil.example)',
  '[a][b]\n\n[b]: <java&NewLine;script:alert(1)> "t" onclick="alert(1)"',
  '![a][b]\n\n[b]: data:image/svg+xml,<svg/onload=alert(1)>',
  '<div onclick=alert(1)>\n\n</div>',
  '<!-- --><script>alert(1)</script>',
  '<![CDATA[<script>alert(1)</script>]]>',
  '[^a]\n\n[^a]: <script>alert(1)</script>',
  '$<b>$ [[<b>]] ~~<b>~~ `<b>`',
  'javascript://x.example/%0aalert(1) data:text/html,<b> ftp://x.example',
  'www.evil.example/"onclick="alert(1) javascript:alert(1) https://x.example/<b> a@b.example"x',
])('%j has neither code nor foreign content', (text) => {
  expect(html(text).replaceAll(permitted, '')).not.toMatch(/[<>]/)
})

test('text, lists, links and headings one level down are rendered', () => {
  const text =
    '# Us\n\nWe *are* **small**: [site](https://x.example), [mail](mailto:a@b.example), [all](/animals).\n\n- one\n- two'
  expect(html(text)).toBe(
    '<div class="prose" dir="auto"><h2>Us</h2><p>We <em>are</em> <strong>small</strong>: <a href="https://x.example">site</a>, <a href="mailto:a@b.example">mail</a>, <a href="/animals">all</a>.</p><ul><li>one</li><li>two</li></ul></div>',
  )
})

test('addresses are links', () => {
  expect(html('Write to a@b.example, or see https://b.example/x.')).toBe(
    '<div class="prose" dir="auto"><p>Write to <a href="mailto:a@b.example">a@b.example</a>, or see <a href="https://b.example/x">https://b.example/x</a>.</p></div>',
  )
})

test('what is nested too deep is plain text', () => {
  for (const text of ['>'.repeat(5_000), '- '.repeat(4_000), '*a '.repeat(3_000), '['.repeat(9_000)]) {
    const startedMs = performance.now()
    expect(html(text).length).toBeLessThan(60_000)
    expect(performance.now() - startedMs).toBeLessThan(1_000)
  }
  expect(html(`${'>'.repeat(2_000)} deep`)).toContain('<p class="lines">&gt;&gt;')
})

test('a table is text if it would have thousands of cells', () => {
  const table = (columns: number, rows: number) =>
    `${'a|'.repeat(columns)}\n${'-|'.repeat(columns)}\n${'b\n'.repeat(rows)}`
  expect(html(table(8, 100))).toContain('<table>')
  expect(html(table(120, 4_500)).length).toBeLessThan(60_000)
})

test('a description has no markup, and ends between words', () => {
  expect(plainText('# Ada\n\nA **very** [fast](https://x.example) cat, *really* fast', 30)).toBe(
    'Ada A very fast cat, really…',
  )
  expect(plainText('Short.', 30)).toBe('Short.')
  expect(plainText('😀'.repeat(100), 10).isWellFormed()).toBe(true)
  expect(plainText('['.repeat(10_000), 160).length).toBeLessThan(170)
})
