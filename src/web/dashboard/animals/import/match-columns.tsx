/** The choice of a column for each target. The server guesses it from the names; the first values show whether it is right. */

import { Box, Button, Checkbox, Group, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core'
import { Unused } from './check-words.tsx'
import { columnName, type FileColumns, type Mapping, type Target, unusedColumns } from './mapping.ts'

const targets: readonly { readonly target: Target; readonly label: string; readonly none: string }[] = [
  { target: 'name', label: 'Name', none: 'Choose the column' },
  { target: 'category', label: 'Category', none: 'Choose the column' },
  { target: 'status', label: 'Status', none: 'None: all are available' },
  { target: 'otherName', label: 'Name if the first is empty', none: 'None: the animal is left out' },
]

interface MatchColumnsProps {
  readonly file: FileColumns
  readonly mapping: Mapping
  readonly onChange: (mapping: Mapping) => void
  /** Whether the file is being read again with the other kind of first line. */
  readonly isReading: boolean
  readonly onHeader: (hasHeader: boolean) => void
  readonly onBack: () => void
  readonly onCheck: () => void
}

export function MatchColumns({ file, mapping, onChange, isReading, onHeader, onBack, onCheck }: MatchColumnsProps) {
  const isReady = mapping.name !== undefined && mapping.category !== undefined
  const isTwice = (column: number | undefined) =>
    column !== undefined && Object.values(mapping).filter((other) => other === column).length > 1
  // An animal without a name can have one from another column, such as its number.
  const needsOther =
    mapping.otherName !== undefined || valuesOf(file, mapping.name).some((value) => value.trim() === '')
  return (
    <Stack>
      <Text fz="1.1rem" fw={650}>
        What does each column contain?
      </Text>
      <SimpleGrid minColWidth="12rem" autoFlow="auto-fit">
        {targets.map(({ target, label, none }) => {
          const column = mapping[target]
          if (target === 'otherName' && !needsOther) return null
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
                {file.columns.map((_, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and never move
                  <option key={index} value={index + 1}>
                    {columnName(file, index + 1)}
                  </option>
                ))}
              </NativeSelect>
              <Box component="ul" mt="xs" className="plain-list" aria-label={`First values of ${label}`}>
                {valuesOf(file, column).map((value, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the rows never move
                  <Text key={index} component="li" truncate fz="0.9rem" lh="1.4rem" px="sm" py="0.3rem" style={line}>
                    {value || (
                      <Text span inherit c="dimmed">
                        empty
                      </Text>
                    )}
                  </Text>
                ))}
              </Box>
            </div>
          )
        })}
      </SimpleGrid>
      {isReady && (
        <Text className="breaks">
          <Unused columns={unusedColumns(file, mapping)} />
        </Text>
      )}
      <Checkbox
        label="The first line has the names of the columns"
        description={file.hasHeader ? 'Otherwise, it is read as an animal.' : 'It is read as an animal.'}
        checked={file.hasHeader !== isReading}
        onChange={({ currentTarget }) => !isReading && onHeader(currentTarget.checked)}
      />
      <Group justify="flex-end">
        {!isReady && (
          <Text size="sm" c="dimmed" me="auto">
            Choose the columns of the name and of the category.
          </Text>
        )}
        <Button variant="default" onClick={onBack}>
          Choose another file
        </Button>
        <Button disabled={!isReady || isReading || Object.values(mapping).some(isTwice)} onClick={onCheck}>
          Check file
        </Button>
      </Group>
    </Stack>
  )
}

/** Below each value. */
const line = { borderBottom: '1px solid var(--line)' }

const valuesOf = (file: FileColumns, column: number | undefined): readonly string[] =>
  (column === undefined ? undefined : file.columns[column - 1])?.values ?? []
