/** The records to make at the provider of the domain, with buttons to copy them or to send them to somebody. */

import { Button } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { CopyButton } from '../ui/copy.tsx'
import { Section } from '../ui/page.tsx'
import type { Domain } from './queries.ts'
import { purposeLabels, recordsText } from './words.ts'

export function Records({ domain: { unicodeHostname, records, dns } }: { readonly domain: Domain }) {
  const text = recordsText(unicodeHostname, records)
  const subject = encodeURIComponent(`DNS records for ${unicodeHostname}`)
  const body = encodeURIComponent(
    `Hello,\n\nplease set these records at the provider of our domain.\n\n${text}\nThank you!`,
  )
  return (
    <Section
      title="Records"
      lead={
        dns.status === 'verified'
          ? 'They are right. Leave them as they are: the website needs them as long as it has this domain.'
          : 'Make these at the company where you bought the domain, in its DNS settings.'
      }
      actions={
        <>
          <CopyButton text={text} label="Copy all" size="xs" />
          <Button
            component="a"
            href={`mailto:?subject=${subject}&body=${body}`}
            size="xs"
            variant="default"
            leftSection={<IconMail size={16} />}
          >
            Send to my web person
          </Button>
        </>
      }
    >
      <ul className="records">
        {records.map(({ type, name, fqdn, value, ttl, purpose, note }) => (
          <li key={`${type} ${fqdn} ${value}`}>
            <div className="quiet">{purposeLabels[purpose]}</div>
            <dl className="record">
              <dt>Type</dt>
              <dd>{type}</dd>
              <dt>Name</dt>
              <dd>
                <code>{name}</code>{' '}
                <CopyButton text={name} label={`Copy name ${name}`} size="compact-xs">
                  Copy name
                </CopyButton>
              </dd>
              <dt>Value</dt>
              <dd>
                <code>{value}</code>{' '}
                <CopyButton text={value} label={`Copy value ${value}`} size="compact-xs">
                  Copy value
                </CopyButton>
              </dd>
              <dt>TTL</dt>
              <dd>
                {ttl} <span className="quiet">seconds; another value works too</span>
              </dd>
            </dl>
            {note !== null && <p className="quiet">{note}</p>}
          </li>
        ))}
      </ul>
    </Section>
  )
}
