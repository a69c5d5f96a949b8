/** The texts of the form of the web shop, and what they mean for the API. */

import { emailProblem } from '../session/credentials.ts'
import { nameProblem } from '../ui/input.ts'
import type { Website, WebsiteChange } from './queries.ts'

/** The members that may be empty. */
const optional = ['tagline', 'phone', 'email', 'address', 'hours', 'about', 'imprint', 'privacy'] as const

export type Draft = Readonly<
  Record<(typeof optional)[number] | 'projectId' | 'name' | 'kind' | 'language' | 'color' | 'shows', string>
>

/** `website` is null for a new web shop, which gets `language`, and a new project while `projectId` is empty. */
export function draftOf(website: Website | null, language: string): Draft {
  const texts = Object.fromEntries(optional.map((member) => [member, website?.[member] ?? '']))
  const { name = '', kind = 'shop', color = '#0f6b57', shows = 'all' } = website ?? {}
  const projectId = String(website?.projectId ?? '')
  return { ...(texts as Draft), projectId, name, kind, color, shows, language: website?.language ?? language }
}

/** The request that changes `members` to what the draft says. */
export function changeOf(draft: Draft, members: readonly (keyof Draft)[]): WebsiteChange {
  const isOptional = (member: string) => (optional as readonly string[]).includes(member)
  const changed = members.map((member) => {
    const text = draft[member].trim()
    if (member === 'projectId') return [member, Number(text)]
    return [member, text === '' && isOptional(member) ? null : text]
  })
  const { kind, name, language } = draft
  return { ...Object.fromEntries(changed), kind, name: name.trim(), language } as WebsiteChange
}

const longestTagline = 160
const longestPage = 10_000
const longestLines = 500
const mostLines = 10

/** The problems of the fields, in words. */
export function problemsOf(draft: Draft): { readonly [M in keyof Draft]?: string | undefined } {
  const tooLong = (text: string, longest: number) =>
    [...text.trim()].length > longest ? `This text is too long. Use at most ${longest} letters.` : undefined
  const lines = (text: string) =>
    text.trim().split('\n').length > mostLines ? `Use at most ${mostLines} lines.` : tooLong(text, longestLines)
  return {
    name: nameProblem(draft.name, 'Enter the name of your shop.', 80),
    tagline: tooLong(draft.tagline, longestTagline),
    phone: tooLong(draft.phone, 40),
    email: draft.email.trim() === '' ? undefined : emailProblem(draft.email.trim()),
    address: lines(draft.address),
    hours: lines(draft.hours),
    about: tooLong(draft.about, longestPage),
    imprint: tooLong(draft.imprint, longestPage),
    privacy: tooLong(draft.privacy, longestPage),
  }
}
