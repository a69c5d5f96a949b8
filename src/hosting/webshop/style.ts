/** The style sheet and the icon of a web shop, for a color. */

import { readableColor, schemes } from './color.ts'

/** `color` is `#` and six hexadecimal digits. */
export function styleSheet(color: string): string {
  const light = readableColor(color, schemes.light)
  const dark = readableColor(color, schemes.dark)
  return `:root{--accent:${light};--on-accent:#fff}
@media screen and (prefers-color-scheme:dark){:root{--accent:${dark};--on-accent:${schemes.dark.backgrounds[0]}}}
${rules}`
}

/** The background of pages, that of what lies on them, and that of what is set apart. */
const surfaces = ({ backgrounds: [page, card, soft] }: (typeof schemes)[keyof typeof schemes]) =>
  `--page:${page};--card:${card};--soft:${soft}`

const rules = `:root{color-scheme:light dark;${surfaces(schemes.light)};--text:#1f211f;--muted:#5c5f5b;--line:#e0ddd6}
@media screen and (prefers-color-scheme:dark){:root{${surfaces(schemes.dark)};--text:#eceae6;--muted:#b3b0aa;--line:#3b3f43}}
*{box-sizing:border-box}
html{background:var(--page);color:var(--text);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;overflow-wrap:anywhere}
main{flex:1}
h1,h2,h3{line-height:1.2;letter-spacing:-.015em;text-wrap:balance;margin:0}
h1{font-size:clamp(1.75rem,1.3rem + 2vw,2.5rem)}
h2{font-size:1.375rem}
a{color:var(--accent);text-underline-offset:.2em}
img{max-width:100%}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px;border-radius:.25rem}
.wrap{width:100%;max-width:75rem;margin-inline:auto;padding-inline:clamp(1rem,4vw,2rem)}
.skip,.hidden{position:absolute;left:-100rem}
.skip:focus{left:1rem;top:1rem;z-index:1;background:var(--page);padding:.5rem 1rem}
.top{background:var(--card);border-bottom:1px solid var(--line)}
.top .wrap{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.5rem;padding-block:.75rem}
.brand{display:flex;align-items:center;gap:.75rem;font-weight:700;font-size:1.125rem;line-height:1.2;color:inherit;text-decoration:none;margin-inline-end:auto;min-height:2.75rem}
.brand img{width:auto;height:2.75rem;max-width:9rem;object-fit:contain;border-radius:.25rem}
.top nav{display:flex;flex-wrap:wrap;gap:0 1.25rem}
.top nav a{color:inherit;padding-block:.5rem;text-decoration:none;text-decoration-color:var(--accent);text-decoration-thickness:2px;text-underline-offset:.4em}
.top nav a:hover,.top nav a[aria-current]{text-decoration-line:underline}
.button,button{display:inline-block;font:inherit;font-weight:600;line-height:1.5;padding:.4375rem 1.125rem;border:2px solid var(--accent);border-radius:2rem;background:var(--accent);color:var(--on-accent);text-decoration:none;cursor:pointer}
.button:hover,button:hover{text-decoration:underline}
.quiet{background:none;color:var(--accent)}
.hero .wrap{display:grid;gap:1.5rem 3rem;align-items:center;padding-block:clamp(2rem,6vw,4rem) clamp(1rem,3vw,2rem)}
.hero h1{font-size:clamp(2rem,1.4rem + 3vw,3.5rem)}
.hero p{font-size:1.2rem;color:var(--muted);margin:.75rem 0 1.5rem;max-width:36rem}
.hero img{width:100%;height:auto;aspect-ratio:3/2;object-fit:cover;border-radius:1rem;display:block}
.section{padding-block:clamp(1.75rem,5vw,3rem)}
.bar{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:.5rem 1.5rem;margin-bottom:1.25rem}
.bar p{margin:0;color:var(--muted)}
.tools{display:flex;flex-wrap:wrap;align-items:end;justify-content:space-between;gap:1rem 2rem;margin-bottom:1.5rem}
.pills{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;margin:0;padding:0}
.pills a{display:block;padding:.375rem .875rem;border:1px solid var(--line);border-radius:2rem;background:var(--card);color:inherit;text-decoration:none;white-space:nowrap}
.pills a:hover{border-color:var(--accent)}
.pills a[aria-current]{background:var(--text);border-color:var(--text);color:var(--page)}
form{display:flex;flex-wrap:wrap;align-items:end;gap:.5rem .75rem}
label{font-size:.875rem;color:var(--muted)}
select{display:block;font:inherit;color:var(--text);background:var(--card);border:1px solid var(--muted);border-radius:.625rem;padding:.375rem .5rem;min-height:2.625rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));gap:1.5rem 1.25rem;list-style:none;margin:0;padding:0}
.card{display:block;height:100%;color:inherit;text-decoration:none;border:1px solid var(--line);border-radius:1rem;overflow:hidden;background:var(--card)}
.card:hover{border-color:var(--accent)}
.card:hover h3{text-decoration:underline}
.photo{display:block;position:relative;aspect-ratio:4/3;background:var(--soft)}
.photo img{width:100%;height:100%;object-fit:cover;display:block}
.photo .none{width:34%;height:auto;position:absolute;inset:0;margin:auto}
.text{padding:.875rem 1rem 1rem}
.card h3{font-size:1.125rem}
.card :is(h3,.muted){display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:4;overflow:hidden}
.text p{margin:.25rem 0 0;font-size:.9375rem;line-height:1.5}
.muted{color:var(--muted)}
.text .price{font-size:1rem;font-weight:650;margin-top:.5rem}
.badge{display:inline-block;background:var(--card);color:var(--text);border:1px solid var(--line);font-size:.8125rem;font-weight:650;line-height:1;padding:.4rem .625rem;border-radius:2rem}
.photo .badge{position:absolute;inset-block-start:.625rem;inset-inline-start:.625rem}
.pages{display:flex;align-items:center;justify-content:center;gap:1.25rem;margin-top:2rem}
.animal{display:grid;gap:1.5rem 3rem;align-items:start}
.animal>*{min-width:0}
.animal .photo{border-radius:1rem;overflow:hidden}
.thumbs{display:grid;grid-template-columns:repeat(3,1fr);gap:.625rem;list-style:none;margin:.625rem 0 0;padding:0}
.thumbs img{display:block;width:100%;height:auto;aspect-ratio:1;object-fit:cover;border-radius:.75rem}
.animal .badge{margin-top:.75rem}
.crumbs{margin:0 0 .25rem;font-size:.9375rem}
.amount{font-size:1.5rem;font-weight:700;margin:.5rem 0 0}
.amount small{font-size:1rem;font-weight:400;color:var(--muted);margin-inline-start:.5rem}
dl{display:grid;grid-template-columns:fit-content(40%) minmax(0,1fr);gap:0 1.25rem;margin:1.25rem 0;padding-block:.75rem;border-block:1px solid var(--line)}
dt,dd{margin:0;padding-block:.1875rem}
dt{color:var(--muted)}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.25rem 0}
.notice{background:var(--soft);border-inline-start:4px solid var(--accent);border-radius:.25rem;padding:.75rem 1rem;margin:1rem 0}
.prose{max-width:42rem}
.prose>:first-child{margin-top:1.25rem}
.prose :is(p,li){white-space:pre-line}
.prose h2,.prose h3{margin:2rem 0 .5rem}
.prose h3{font-size:1.125rem}
.prose pre{white-space:pre-wrap;background:var(--soft);padding:1rem;border-radius:.5rem}
.prose blockquote{margin:1rem 0;padding-inline-start:1rem;border-inline-start:4px solid var(--line);color:var(--muted)}
.prose table{border-collapse:collapse}
.prose :is(td,th){border:1px solid var(--line);padding:.375rem .75rem;text-align:start}
.lines{white-space:pre-line}
.foot{border-top:1px solid var(--line);font-size:.9375rem}
.foot .wrap{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,13rem),1fr));gap:1.5rem 2rem;padding-block:2rem}
.foot h2{font-size:1rem;margin-bottom:.375rem}
.foot p{margin:0}
.foot ul{list-style:none;margin:0;padding:0}
.foot a{display:inline-block;padding-block:.25rem}
@media print,(min-width:52rem){.hero .with{grid-template-columns:1fr 1fr}.animal{grid-template-columns:minmax(0,1.15fr) minmax(0,1fr)}}
@media(max-width:30rem){.cards{grid-template-columns:repeat(auto-fill,minmax(min(100%,8.5rem),1fr));gap:.875rem .75rem}.text{padding:.625rem .75rem .75rem}.pills{flex-wrap:nowrap;overflow-x:auto;max-width:calc(100% + .75rem);margin:-.375rem;padding:.375rem}.tools{gap:.75rem}.top nav{order:1;width:100%}.brand{flex:1;min-width:8rem}.top .wrap{gap:.25rem 1rem;reading-flow:flex-visual}form{gap:.5rem}button{padding-inline:.875rem}}
@media(forced-colors:active){.pills a[aria-current]{border-width:3px}}
@media print{
@page{margin:1.5cm}
.skip,.top nav,.button,.tools,.pages,.bar a,.crumbs,.foot section:last-child{display:none}
.wrap{padding-inline:0}
a{color:inherit;text-decoration:none}
.card,.foot{break-inside:avoid}
}
`

/** A paw: on the color, for the tab of the browser, or a grey one in the place of a photo. */
export function icon(color: string | undefined): string {
  const background =
    color === undefined ? '' : `<rect width="32" height="32" rx="8" fill="${readableColor(color, schemes.light)}"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${background}<g fill="${color === undefined ? '#8f8b84' : '#fff'}"><ellipse cx="8.5" cy="14" rx="2.6" ry="3.4"/><ellipse cx="13" cy="9" rx="2.6" ry="3.6"/><ellipse cx="19" cy="9" rx="2.6" ry="3.6"/><ellipse cx="23.5" cy="14" rx="2.6" ry="3.4"/><path d="M16 14.5c-3.6 0-7 4.2-7 7.3 0 2 1.5 3 3.2 3 1.5 0 2.4-.7 3.8-.7s2.3.7 3.8.7c1.7 0 3.2-1 3.2-3 0-3.1-3.4-7.3-7-7.3z"/></g></svg>`
}
