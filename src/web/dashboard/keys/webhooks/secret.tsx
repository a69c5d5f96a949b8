/** Shows the secret of a webhook once, like a new key. */

import type { Schemas } from '../../api/client.ts'
import { isolated } from '../../ui/format.ts'
import { closeLastingDialog, showLastingDialog } from '../../ui/lasting-dialog.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { nameOf } from './words.ts'

/** Shows the secret; also after its page has been left. */
export const showWebhookSecret = (webhook: Schemas['WebhookWithSecret']): void =>
  showLastingDialog(
    <SecretDialog
      key={`webhook ${webhook.id} ${webhook.secret}`}
      title="The secret of the webhook"
      word="secret"
      secret={webhook.secret}
      onClose={closeLastingDialog}
      lost={
        <>
          The secret was created, but the connection broke before it could be shown, and it cannot be shown again.
          Choose “Create new secret” in the menu of “{isolated(nameOf(webhook))}” to get another one.
        </>
      }
      note={
        <>
          The program at {isolated(URL.parse(webhook.url)?.host ?? webhook.url)} needs it to verify that a message is
          from your store. Give it to whoever writes that program in a safe way, such as a password manager.
        </>
      }
    />,
  )
