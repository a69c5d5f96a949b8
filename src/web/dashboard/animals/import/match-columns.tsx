/** Which column of the file is what. The columns are guessed from their headers; the first values show whether rightly. */

import { Button, Checkbox, Group, NativeSelect } from '@mantine/core'
import { Unused } from './check/unused.tsx'
import { columnName, type Mapping, type Table, type Target, unusedColumns } from './read-file.ts'

const targets: readonly { readonly target: Target; readonly label: string; readonly none: string }[] = [
  { target: 'name', label: 'Name', none: 'Choose the column' },
  { target: 'category', label: 'Category', none: 'Choose the column' },
  { target: 'status', label: 'Status', none: 'None: all are available' },
]

interface MatchColumnsProps {
  readonly table: Table
  readonly mapping: Mapping
  readonly onChange: (mapping: Mapping) => void
  /** Whether the first line names the columns. */
  readonly hasHeader: boolean
  readonly onHeader: (hasHeader: boolean) => void
  readonly onBack: () => void
  readonly onCheck: () => void
}

export function MatchColumns(props: MatchColumnsProps) {
  const { table, mapping, onChange, hasHeader, onHeader, onBack, onCheck } = props
  const isReady = mapping.name !== undefined && mapping.category !== undefined
  const isTwice = (column: number | undefined) =>
    column !== undefined && Object.values(mapping).filter((one) => one === column).length > 1
  return (
    <div className="import-step">
      <p className="import-lead">Which column is what?</p>
      <div className="import-columns">
        {targets.map(({ target, label, none }) => {
          const column = mapping[target]
          return (
            <div key={target}>
              <NativeSelect
                label={label}
                value={column ?? ''}
                error={isTwice(column) && 'Choose another column: this one is used twice.'}
                onChange={({ currentTarget: { value } }) =>
                  onChange({ ...mapping, [target]: value === '' ? undefined : Number(value) })
                }
              >
                <option value="">{none}</option>
                {table.headers.map((header, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: headers may repeat, and never move
                  <option key={index} value={index}>
                    {columnName(header, index)}
                  </option>
                ))}
              </NativeSelect>
              <ul className="import-samples" aria-label={`First values of ${label}`}>
                {column !== undefined &&
                  table.samples.map((row, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the rows never move
                    <li key={index}>{row[column] || <span className="quiet">empty</span>}</li>
                  ))}
              </ul>
            </div>
          )
        })}
      </div>
      {isReady && (
        <p className="import-note">
          <Unused columns={unusedColumns(table, mapping)} />
        </p>
      )}
      <Checkbox
        label="The first line has the names of the columns"
        description={hasHeader ? 'Otherwise it is an animal like the others.' : 'It is an animal like the others.'}
        checked={hasHeader}
        onChange={({ currentTarget }) => onHeader(currentTarget.checked)}
      />
      <Group justify="flex-end">
        {!isReady && <span className="quiet import-missing">Choose the columns of the name and of the category.</span>}
        <Button variant="default" onClick={onBack}>
          Choose another file
        </Button>
        <Button disabled={!isReady || Object.values(mapping).some(isTwice)} onClick={onCheck}>
          Check file
        </Button>
      </Group>
    </div>
  )
}
