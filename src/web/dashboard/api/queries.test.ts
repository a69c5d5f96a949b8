import { expect, test } from 'bun:test'
import { QueryObserver } from '@tanstack/react-query'
import { filledPage, type PageStart } from './lists.ts'
import { invalidateTopics, queryClient } from './queries.ts'

test('a change during a request lets the request end, and another one follows', async () => {
  const requests: PromiseWithResolvers<string>[] = []
  const observer = new QueryObserver(queryClient, {
    queryKey: ['test'],
    queryFn() {
      const request = Promise.withResolvers<string>()
      requests.push(request)
      return request.promise
    },
    meta: { topics: ['pets'] },
  })
  const shown: (string | undefined)[] = []
  const unsubscribe = observer.subscribe(({ data }) => void (shown.at(-1) !== data && shown.push(data)))
  try {
    requests[0]?.resolve('at first')
    const first = invalidateTopics(['pets'])
    await Bun.sleep(0)
    const second = invalidateTopics(['orders', 'pets'])
    const other = invalidateTopics(['orders'])
    await other
    requests[1]?.resolve('after the first change')
    await first
    expect(shown.at(-1)).toBe('after the first change')
    requests[2]?.resolve('after the second change')
    await second
    expect(shown.at(-1)).toBe('after the second change')
    expect(requests).toHaveLength(3)
  } finally {
    unsubscribe()
    queryClient.clear()
  }
})

test('a search goes on until a page has something, or there is no further page', async () => {
  const pages: Record<string, { items: number[]; next: string | undefined }> = {
    first: { items: [], next: 'second' },
    second: { items: [], next: 'third' },
    third: { items: [7], next: 'fourth' },
    fourth: { items: [], next: undefined },
  }
  const fetchPage = async ({ cursor = 'first' }: PageStart) => pages[cursor] ?? { items: [], next: undefined }
  expect(await filledPage(fetchPage)).toEqual({ items: [7], next: 'fourth' })
  expect(await filledPage(fetchPage, 'fourth')).toEqual({ items: [], next: undefined })
})
