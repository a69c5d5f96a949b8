import { expect, test } from 'bun:test'
import { filesProblem } from './site-files.ts'

test('a folder with index.html at the top, or one archive, is published', () => {
  for (const paths of [['index.html'], ['a/b.css', 'Index.HTML'], ['site.zip'], ['site.tar.gz']]) {
    expect([paths, filesProblem(paths)]).toEqual([paths, undefined])
  }
})

test('a file without a first page replaces a page of the web shop', () => {
  expect(filesProblem(['about.html'], true)).toBeUndefined()
  expect(filesProblem([], true)).toContain('There are no files')
})

test('a wrong choice gets the folder or file to choose instead', () => {
  for (const [paths, words] of [
    [[], 'There are no files'],
    [['notes.txt', 'site/index.html', 'site/blog/index.html'], 'The website is in the folder “site” inside.'],
    [['work/site/index.html', 'readme.txt'], 'the folder “work/site” inside'],
    [['a/index.html', 'b/index.html'], 'several websites in it: “a”, “b”. Choose one'],
    [['a/index.html', 'b/index.html', 'c/index.html', 'd/index.html'], '“a”, “b”, “c”…. Choose one'],
    [['style.css'], 'style.css is only one file of a website.'],
    [['home.html'], 'is called index.html. Rename home.html'],
    [['readme.txt', 'style.css'], 'There is no index.html in it'],
    [
      Array.from({ length: 20_001 }, (_, index) => `${index}.png`),
      'These are 20,001 files, and at most 20,000 files are allowed.',
    ],
  ] as const) {
    expect(filesProblem(paths)).toContain(words)
  }
})
