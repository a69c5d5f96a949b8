/** The form of the bucket. Its secret key is sent to the store and never comes back. */

import { PasswordInput, TextInput } from '@mantine/core'
import type { BucketView } from '../../../owner/routes.ts'
import { Form, useFields, verbatim } from '../ui/form.tsx'
import { defined } from '../ui/input.ts'
import { showDone } from '../ui/notices.tsx'
import { changeOwner } from './owner-section.tsx'

interface FormProps {
  readonly copies: BucketView
  readonly onClose: () => void
}

export function BackupBucketForm({ copies: { bucket }, onClose }: FormProps) {
  const { values, of, reject } = useFields({
    address: bucket?.address ?? 's3://',
    endpoint: bucket?.endpoint ?? '',
    region: bucket?.region ?? '',
    accessKeyId: bucket?.accessKeyId ?? '',
    secretAccessKey: '',
    password: '',
  })

  async function save(isShown: () => boolean): Promise<void> {
    const optional = (text: string) => text.trim() || undefined
    const change = {
      address: values.address.trim(),
      accessKeyId: values.accessKeyId.trim(),
      ...defined({
        endpoint: optional(values.endpoint),
        region: optional(values.region),
        secretAccessKey: optional(values.secretAccessKey),
      }),
    }
    if (reject(await changeOwner('/backups/bucket', values.password, change, problemOf))) return
    showDone('The bucket is set up. Test it now.')
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={save} action="Save bucket" onCancel={onClose}>
      <TextInput
        {...of('address')}
        label="Bucket"
        description="s3:// with the name of the bucket and a directory in it that is for this store alone."
        placeholder="s3://shop-backups/pets"
        {...verbatim}
        data-autofocus
      />
      <TextInput
        {...of('endpoint')}
        label="Endpoint"
        description="The address that your provider states. Empty for Amazon."
        placeholder="https://s3.example.com"
        {...verbatim}
      />
      <TextInput {...of('region')} label="Region" description="Empty if your provider states none." {...verbatim} />
      <TextInput {...of('accessKeyId')} label="Access key ID" {...verbatim} />
      <PasswordInput
        {...of('secretAccessKey')}
        label="Secret access key"
        description={bucket === null ? undefined : 'Empty to keep the one that is stored.'}
        autoComplete="off"
      />
      <PasswordInput {...of('password')} label="Your password for this store" autoComplete="current-password" />
    </Form>
  )
}

/** The field that the store has rejected, and why. */
function problemOf(message: string) {
  if (message.startsWith('The endpoint ')) return { endpoint: 'Enter an address such as https://s3.example.com.' }
  if (message.startsWith('The region ')) return { region: 'Enter a name such as eu-central-1.' }
  if (message.startsWith('accessKeyId ')) return { accessKeyId: 'Enter the name of the key for the bucket.' }
  if (message.startsWith('secretAccessKey ')) return { secretAccessKey: 'Enter the secret key for the bucket.' }
  return { address: 'Enter s3:// with the name of a bucket, such as s3://shop-backups/pets.' }
}
