/** Changes the plan of an account. */

import { Modal } from '@mantine/core'
import { useState } from 'react'
import { api, type Schemas } from '../../api/client.ts'
import { showDone } from '../../ui/feedback/notices.ts'
import { useIsShown } from '../../ui/feedback/use-is-shown.ts'
import { Form } from '../../ui/form/form.tsx'
import { isolated } from '../../ui/format.ts'
import { PlanFields } from '../plan-fields.tsx'
import { refreshKeys } from '../queries.ts'
import { type Account, isComplete, type PlanSettings, planBody, planLabels } from '../words.ts'

interface ChangePlanProps {
  readonly target: Account | undefined
  readonly onClose: () => void
}

export function ChangePlan({ target, onClose }: ChangePlanProps) {
  return (
    <Modal opened={target !== undefined} onClose={onClose} title={`Plan of ${isolated(target?.name ?? '')}`}>
      {target !== undefined && <PlanForm key={target.id} account={target} onClose={onClose} />}
    </Modal>
  )
}

function PlanForm({ account, onClose }: { readonly account: Account; readonly onClose: () => void }) {
  const [settings, setSettings] = useState<PlanSettings>(account)
  const isShown = useIsShown()
  const [isChecked, setChecked] = useState(false)

  async function save(): Promise<void> {
    setChecked(true)
    if (!isComplete(settings)) return
    const body = planBody(settings) as Schemas['AccountChange']
    await api.PATCH('/accounts/{accountId}', { params: { path: { accountId: account.id } }, body })
    showDone(`${isolated(account.name)} is on the plan ${planLabels[settings.plan]} now. It counts at once.`)
    await refreshKeys()
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={save} action="Change plan" onCancel={onClose}>
      <PlanFields value={settings} onChange={setSettings} isChecked={isChecked} isFirst />
    </Form>
  )
}
