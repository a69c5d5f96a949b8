import { describe, expect, test } from 'bun:test'
import { contentTypeOf, isCompressible, isReserved } from './manifest.ts'

describe('the content type of a file', () => {
  test.each([
    ['index.html', 'text/html; charset=utf-8'],
    ['a/B.HTML', 'text/html; charset=utf-8'],
    ['app.js', 'text/javascript; charset=utf-8'],
    ['app.mjs', 'text/javascript; charset=utf-8'],
    ['style.css', 'text/css; charset=utf-8'],
    ['data.json', 'application/json; charset=utf-8'],
    ['site.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['logo.svg', 'image/svg+xml'],
    ['photo.avif', 'image/avif'],
    ['photo.jpg', 'image/jpeg'],
    ['font.woff2', 'font/woff2'],
    ['lib.wasm', 'application/wasm'],
    ['film.mp4', 'video/mp4'],
    ['favicon.ico', 'image/vnd.microsoft.icon'],
    ['robots.txt', 'text/plain; charset=utf-8'],
    ['.well-known/security.txt', 'text/plain; charset=utf-8'],
    ['.well-known/apple-app-site-association', 'application/json; charset=utf-8'],
    ['LICENSE', 'application/octet-stream'],
    ['html', 'application/octet-stream'],
    ['a.b/html', 'application/octet-stream'],
    ['x.constructor', 'application/octet-stream'],
    ['constructor', 'application/octet-stream'],
    ['toString', 'application/octet-stream'],
    ['ends-with.', 'application/octet-stream'],
  ])('%s is %s', (path, expected) => {
    expect(contentTypeOf(path)).toBe(expected)
  })

  test('text, scripts, SVG, JSON and WebAssembly are compressible; images, films and fonts that are compressed are not', () => {
    const yes = [
      'a.html',
      'a.css',
      'a.js',
      'a.json',
      'a.svg',
      'a.wasm',
      'a.webmanifest',
      'a.xml',
      'a.rss',
      'a.ico',
      'a.ttf',
    ]
    const no = ['a.png', 'a.jpg', 'a.avif', 'a.webp', 'a.woff2', 'a.mp4', 'a.zip', 'a.gz', 'a.pdf', 'a.unknown']
    expect(yes.filter((path) => !isCompressible(contentTypeOf(path)))).toEqual([])
    expect(no.filter((path) => isCompressible(contentTypeOf(path)))).toEqual([])
  })
})

test('challenges of certificate authorities are reserved, in any case of letters; their neighbours are not', () => {
  const reserved = ['.well-known/acme-challenge/x', '.well-known/pki-validation/a.txt', '.Well-Known/ACME-challenge']
  const free = [
    '.well-known/security.txt',
    '.well-known/acme-challenges',
    'a/.well-known/acme-challenge/x',
    'index.html',
  ]
  expect(reserved.filter((path) => !isReserved(path))).toEqual([])
  expect(free.filter(isReserved)).toEqual([])
})
