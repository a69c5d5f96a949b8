import { expect, test } from 'bun:test'
import { csvType, importsPerTest } from './testing/per-test.ts'

const { opened, send, names } = importsPerTest()
const auditOf = async (action: string) => (await opened.store.call('GET', `/v1/audit?action=${action}`)).json

test('the animals of a CSV file are added, with new categories, and are found, counted and listed', async () => {
  const made = await send('name;category;status\nAda;Cat;sold\nBea;Rabbit;\n', '?fileName=spring.csv')
  expect([made.status, made.headers.get('location')]).toEqual([201, '/v1/imports/1'])
  const createdAt = new Date(opened.store.clock.now()).toISOString()
  expect(made.json).toEqual({
    id: 1,
    imported: 2,
    changed: 0,
    unchanged: 0,
    alreadyThere: 0,
    skipped: 0,
    errors: [],
    problems: [],
    unreadValues: [],
    unusedColumns: [],
    guessedColumns: [],
    encoding: { name: 'utf-8', isGuessed: false, candidates: [] },
    sheet: null,
    notes: [],
    leftOut: 0,
    newCategories: ['Rabbit'],
    unnamedCategories: [],
    createdAt,
    previousImportId: null,
    previousImportedAt: null,
    rejection: null,
    file: null,
  })
  expect((await opened.store.call('GET', '/v1/pets')).json).toEqual([
    { id: 1, name: 'Ada', categoryId: 2, status: 'sold' },
    { id: 2, name: 'Bea', categoryId: 7, status: 'available' },
  ])
  expect((await opened.store.call('GET', '/v1/categories/7')).json).toMatchObject({
    id: 7,
    name: 'Rabbit',
    petCount: 1,
  })
  expect((await opened.store.call('GET', '/v1/pets?q=bea')).json).toHaveLength(1)
  expect((await opened.store.call('GET', '/v1/store/inventory')).json).toEqual({ available: 1, pending: 0, sold: 1 })
  const listed = {
    id: 1,
    fileName: 'spring.csv',
    imported: 2,
    changed: 0,
    skipped: 0,
    state: 'completed',
    createdAt,
    undoneAt: null,
  }
  const found = await opened.store.call('GET', '/v1/imports/1')
  expect([found.json, found.headers.get('etag')]).toEqual([listed, made.headers.get('etag')])
  expect((await opened.store.call('GET', '/v1/imports')).json).toEqual([listed])
  expect(await auditOf('import')).toMatchObject([
    {
      action: 'import.created',
      actor: 'key:1',
      accountId: 1,
      details: { importId: 1, imported: 2, fileName: 'spring.csv' },
    },
  ])
  expect((await opened.store.call('POST', '/v1/pets', { body: { name: 'Cleo', categoryId: 1 } })).json.id).toBe(3)
})

test('NDJSON and other names of columns are read as the command reads them', async () => {
  const ndjson = '{"Name":"Ada","Type":"Cat"}\n{"Name":"Bea","Type":"Cat"}\n'
  const headers = { 'Content-Type': 'application/x-ndjson; charset=utf-8' }
  expect((await send(ndjson, '?columns=name%3DName,category%3DType', headers)).json.imported).toBe(2)
  const wrong = await send('Name,Type\nAda,Cat\n', '?columns=name%3DTitle,category%3DType')
  expect(wrong.json).toMatchObject({ code: 'invalid_parameter', message: expect.stringMatching(/^columns: .*"Title"/) })
  expect((await send('Name,Type\n', '?columns=title%3DName')).json.message).toMatch(/^columns: /)
  expect((await send('name\nAda\n')).json.message).toContain('columns=category=')
  expect(await names()).toEqual(['Ada', 'Bea'])
})

test('with one invalid row nothing is added, and the error counts the problems; skipInvalid adds the others', async () => {
  const file = 'name,category,note\nAda,Cat\n,Cat\nBea,\nCleo,Cat\nx,Cat,y,z\n,,x\n'
  const rejected = await send(file)
  expect(rejected.json).toMatchObject({ code: 'invalid_body', status: 400 })
  expect(rejected.json.message).toContain('skipInvalid=true')
  expect(rejected.json.message).toContain(
    '2 rows: name is blank (lines 3, 7); 2 rows: category is blank (lines 4, 7); line 6: the number',
  )
  expect(await names()).toEqual([])
  expect((await opened.store.call('GET', '/v1/imports')).json).toEqual([])
  const skipped = await send(file, '?skipInvalid=true')
  expect(skipped.json).toMatchObject({
    imported: 2,
    skipped: 4,
    errors: [{ line: 3 }, { line: 4 }, { line: 6 }, { line: 7, message: 'name is blank; category is blank' }],
    problems: [
      { message: 'name is blank', rows: 2, lines: [3, 7] },
      { message: 'category is blank', rows: 2, lines: [4, 7] },
      { rows: 1, lines: [6] },
    ],
  })
  expect(await names()).toEqual(['Ada', 'Cleo'])
})

test('a name comes from the first column that has one, words for a status are mapped, and unused columns are named', async () => {
  const file = 'Name,Tag,Type,Outcome,note\nAda,T1,Cat,Adopted,\n,T2,Cat,gone,\n,T3,Cat,sold,\n'
  const columns = `columns=${encodeURIComponent('name=Name|Tag,category=Type,status=Outcome')}`
  const unmapped = await send(file, `?dryRun=true&${columns}`)
  const problem = (word: string, line: number) => ({
    message: `status must be one of available, pending, sold, not "${word}"`,
    rows: 1,
    lines: [line],
  })
  expect(unmapped.json).toMatchObject({
    imported: 2,
    problems: [problem('gone', 3)],
    notes: [{ kind: 'status_words', message: 'Read as a status: "Adopted" as sold (1).' }],
    unusedColumns: ['note'],
  })
  expect((await send(file, `?${columns}`)).json.message).toContain(
    'map or leave out the words for a status with statuses, or skip',
  )
  const query = `?skipInvalid=true&${columns}&statuses=${encodeURIComponent('adopted=pending')}`
  expect((await send(file, query)).json).toMatchObject({
    imported: 2,
    problems: [problem('gone', 3)],
    unusedColumns: ['note'],
  })
  expect((await opened.store.call('GET', '/v1/pets')).json).toMatchObject([
    { name: 'Ada', status: 'pending' },
    { name: 'T3', status: 'sold' },
  ])
  const leaving = await send(file, `?dryRun=true&${columns}&statuses=${encodeURIComponent('gone=')}`)
  expect(leaving.json).toMatchObject({ imported: 2, skipped: 0, leftOut: 1 })
  const wrong = await send(file, `?${columns}&statuses=${encodeURIComponent('Adopted=gone')}`)
  expect([wrong.json.code, wrong.json.message]).toEqual([
    'invalid_parameter',
    expect.stringMatching(/^statuses: "Adopted=gone" must be a word of the file/),
  ])
})

test('all animals can have one category, and the words of a column are matched to categories', async () => {
  const dogs = 'Hundename;Rasse\nBello;Labrador\n'
  expect((await send(dogs)).json.message).toContain('or give all animals one with category=NAME')
  expect((await send(dogs, '?category=Dog')).json).toMatchObject({ imported: 1, newCategories: [] })
  const text = 'Name,Type\nRex,Puppy\nTom,Kitten\nMo,Unknown\nKim,Cat\n'
  const words = `?dryRun=true&categories=${encodeURIComponent('Kitten=Cat,Puppy=Dog,Unknown=')}`
  expect((await send(text, words)).json).toMatchObject({ imported: 3, leftOut: 1, newCategories: [] })
  expect((await send(text, '?category=Dog&columns=category%3DType')).json.message).toMatch(/^category: choose /)
})

test('a row with a deep value is an invalid row like any other', async () => {
  const deep = `{"name":"Bea","categoryId":1,"status":${'['.repeat(60_000)}${']'.repeat(60_000)}}`
  const file = `{"name":"Ada","categoryId":1}\n${deep}\n`
  const ndjson = { 'Content-Type': 'application/x-ndjson' }
  const errors = [{ line: 2, message: 'status must be one of available, pending, sold, not a list' }]
  expect((await send(file, '?dryRun=true', ndjson)).json).toMatchObject({ imported: 1, skipped: 1, errors })
  expect((await send(file, '', ndjson)).json).toMatchObject({ code: 'invalid_body', status: 400 })
  expect((await send(file, '?skipInvalid=true', ndjson)).json).toMatchObject({ imported: 1, skipped: 1, errors })
  expect(await names()).toEqual(['Ada'])
})

test('the result names each new category once, and at most a hundred of them', async () => {
  const many = Array.from({ length: 150 }, (_, i) => `Rex,Kind ${i}\n`).join('')
  const file = `name,category\nAda,dog\nBo,Hare\nCy,HARE\nDi,Hare\n${many}`
  const { json } = await send(file, '?dryRun=true')
  expect(json.newCategories).toEqual(['Hare', ...Array.from({ length: 99 }, (_, i) => `Kind ${i}`)])
  expect((await send(file)).json.newCategories).toEqual(json.newCategories)
  expect((await send('name,category\nBo,hare\n', '?dryRun=true')).json.newCategories).toEqual([])
  const afterInvalid = await send('name,category\n,Cat\nBo,Fox\n', '?dryRun=true')
  expect(afterInvalid.json).toMatchObject({ imported: 1, skipped: 1, newCategories: ['Fox'] })
  const byId = await send('name,categoryId\nBo,77\n', '?dryRun=true')
  expect([byId.status, byId.json.newCategories]).toEqual([200, []])
})

test('the result names the categories of the file that have no name, before and after', async () => {
  const file = 'name,category,categoryId\nBo,,99999\nAda,,1\nCy,Hare,77\nDi,,77\nEve,,99999\n'
  for (const query of ['?dryRun=true', '']) {
    expect((await send(file, query)).json).toMatchObject({ newCategories: ['Hare'], unnamedCategories: [99999] })
  }
  await opened.store.call('PUT', '/v1/categories/99999', { body: { name: 'Ferret' } })
  expect((await send(file, '?dryRun=true')).json.unnamedCategories).toEqual([])
})

test('with listInvalid a file that its rows keep from being imported gets a list of them, and changes nothing', async () => {
  const file = 'Rufname;Tierart;Nr\nAda;Rabbit;1\n;Cat;2\n'
  const rejected = await send(file, '?listInvalid=true')
  expect([rejected.status, rejected.headers.get('location')]).toEqual([200, null])
  expect(rejected.json).toMatchObject({
    id: null,
    imported: 0,
    skipped: 1,
    errors: [{ line: 3, message: 'name is blank' }],
    problems: [{ message: 'name is blank', rows: 1, lines: [3] }],
    unusedColumns: [],
    guessedColumns: [
      { field: 'name', column: 'Rufname' },
      { field: 'category', column: 'Tierart' },
      { field: 'number', column: 'Nr' },
    ],
    newCategories: [],
    unnamedCategories: [],
    rejection: 'Nothing was imported: 1 of 2 rows are invalid. Correct them, or skip them with skipInvalid=true.',
  })
  const fatal = await send('%PDF-1.7\n', '?listInvalid=true&skipInvalid=true')
  expect([fatal.status, fatal.json]).toMatchObject([
    200,
    { errors: [{ line: 1 }], rejection: expect.stringContaining('line 1: this is a PDF document') },
  ])
  expect((await send(file, '?listInvalid=true&columns=name%3DNaam')).json.code).toBe('invalid_parameter')
  expect(await names()).toEqual([])
  expect((await opened.store.call('GET', '/v1/imports')).json).toEqual([])
  const skipped = await send(file, '?listInvalid=true&skipInvalid=true')
  expect([skipped.status, skipped.json]).toMatchObject([201, { imported: 1, rejection: null }])
})

test('the format of a file of no known type is found out', async () => {
  const headers = { 'Content-Type': 'application/octet-stream' }
  expect((await send('name,category\nAda,Cat\n', '', headers)).status).toBe(201)
  expect((await send('\n{"name":"Bea","category":"Cat"}\n', '', headers)).status).toBe(201)
  expect(await names()).toEqual(['Ada', 'Bea'])
})

test('a dry run lists the invalid rows and changes nothing', async () => {
  const file = 'name,category\nAda,Rabbit\n,Cat\n'
  const tried = await send(file, '?dryRun=true')
  expect(tried.status).toBe(200)
  expect(tried.headers.get('location')).toBeNull()
  expect(tried.json).toMatchObject({
    id: null,
    imported: 1,
    skipped: 1,
    errors: [{ line: 3, message: 'name is blank' }],
    newCategories: ['Rabbit'],
    unnamedCategories: [],
  })
  expect(await names()).toEqual([])
  expect((await opened.store.call('GET', '/v1/categories')).json).toHaveLength(6)
  expect((await opened.store.call('GET', '/v1/imports')).json).toEqual([])
  expect(await auditOf('import')).toEqual([])
  await send('name,category\nAda,Rabbit\n')
  const again = await send('name,category\nAda,Rabbit\n', '?dryRun=true')
  expect(again.json.previousImportId).toBe(1)
})

test('a dry run shows the columns, guesses the fields, and lists the words that are no status', async () => {
  const text = `Nr;Rufname;Tierart;Status\n1;Bärbel;Katze;verkauft\n2;"=Müßli";Hund;Verkauft\n3;;Hund;sold\n4;${'x'.repeat(150)};Hund;weg\n5;E;Hund;\n6;F;Hund;\n`
  const { json } = await send(Buffer.from(text, 'latin1'), '?dryRun=true')
  expect(json).toMatchObject({ imported: 4, skipped: 2, unusedColumns: [] })
  expect(json.file).toEqual({
    delimiter: 'semicolon',
    hasHeader: true,
    headerLine: 1,
    columns: [
      { name: 'Nr', values: ['1', '2', '3', '4', '5'] },
      { name: 'Rufname', values: ['Bärbel', '=Müßli', '', 'x'.repeat(100), 'E'] },
      { name: 'Tierart', values: ['Katze', 'Hund', 'Hund', 'Hund', 'Hund'] },
      { name: 'Status', values: ['verkauft', 'Verkauft', 'sold', 'weg', ''] },
    ],
    mapping: expect.objectContaining({ name: [2], category: [3], categoryId: [], status: [4] }),
    questions: [],
    categories: [
      { word: 'Hund', rows: 5 },
      { word: 'Katze', rows: 1 },
    ],
    unknownStatuses: [{ word: 'weg', rows: 1 }],
  })
  expect(json.errors[0]).toEqual({ line: 4, message: 'name is blank', text: '3;;Hund;sold' })
  const mapped = `?statuses=${encodeURIComponent('weg=pending')}&columns=${encodeURIComponent('name=#2|#1')}`
  expect((await send(Buffer.from(text, 'latin1'), mapped)).json).toMatchObject({ code: 'invalid_body' })
  const kept = await send(Buffer.from(text, 'latin1'), `${mapped}&skipInvalid=true`)
  expect(kept.json).toMatchObject({ imported: 5, skipped: 1, errors: [{ line: 5 }], file: null })
  expect(await names()).toEqual(['Bärbel', '=Müßli', '3', 'E', 'F'])
})

test('a dry run of a file without known columns shows them, and of one without names of columns their values', async () => {
  const unknown = await send('Naming,Group\nAda,Hond\n', '?dryRun=true')
  expect(unknown.json).toMatchObject({
    imported: 0,
    skipped: 0,
    errors: [{ line: 1, message: expect.stringContaining('there is no column "name"') }],
    file: {
      columns: [
        { name: 'Naming', values: ['Ada'] },
        { name: 'Group', values: ['Hond'] },
      ],
      mapping: { name: [] },
    },
  })
  const plain = 'Rowan,Dog,available\nHazel,Cat,sold\n'
  const guessed = await send(plain, '?dryRun=true')
  expect(guessed.json.errors[0].message).toContain('columns=name=#1,category=#2')
  expect(guessed.json.file).toMatchObject({
    hasHeader: false,
    columns: [
      { name: '', values: ['Rowan', 'Hazel'] },
      { name: '', values: ['Dog', 'Cat'] },
      { name: '', values: ['available', 'sold'] },
    ],
  })
  const columns = `columns=${encodeURIComponent('name=#1,category=#2,status=#3')}`
  const named = await send(plain, `?dryRun=true&hasHeader=true&${columns}`)
  expect(named.json).toMatchObject({ imported: 1, file: { hasHeader: true, columns: [{ name: 'Rowan' }, {}, {}] } })
  expect((await send(plain, `?${columns}`)).json).toMatchObject({ imported: 2, skipped: 0 })
  expect(await names()).toEqual(['Rowan', 'Hazel'])
})

test('a dry run shows the members of NDJSON, and guesses their fields', async () => {
  const ndjson = { 'Content-Type': 'application/x-ndjson' }
  const text = '{"Pet":"Ada","species":"Cat"}\n{"Pet":"Bo","species":"Dog","age":3}\n'
  const { json } = await send(text, '?dryRun=true', ndjson)
  expect(json.file).toMatchObject({
    delimiter: null,
    columns: [
      { name: 'Pet', values: ['Ada', 'Bo'] },
      { name: 'species', values: ['Cat', 'Dog'] },
      { name: 'age', values: ['', '3'] },
    ],
    mapping: { name: [1], category: [2] },
  })
  expect((await send(text, '', ndjson)).json).toMatchObject({ imported: 2, unusedColumns: ['age'] })
})

test('the texts of invalid rows in a dry run have an end', async () => {
  const row = `,Cat,${'x'.repeat(100_000)}\n`
  const { json } = await send(`name,category,note\n${row.repeat(100)}`, '?dryRun=true')
  expect([json.errors.length, json.skipped]).toEqual([84, 100])
})

test('a file of more than 100,000 rows is rejected, and adds nothing', async () => {
  for (const query of ['', '?dryRun=true']) {
    const { status, json } = await send(`name,category\n${'Rex,Dog\n'.repeat(100_001)}`, query)
    expect([status, json.code, json.message]).toEqual([
      413,
      'payload_too_large',
      'The file has more than 100,000 rows, which is the most that one import adds. Nothing was changed; split the file.',
    ])
  }
  expect(await names()).toEqual([])
})

test('parameters are validated', async () => {
  for (const query of [
    '?dryRun=yes',
    '?skipInvalid=1',
    '?dryRun=true&dryRun=true',
    '?columns=x',
    '?statuses=x',
    `?fileName=${'x'.repeat(256)}`,
  ]) {
    expect([query, (await send('name,category\nAda,Cat\n', query)).json.code]).toEqual([query, 'invalid_parameter'])
  }
  expect((await send('name,category\nAda,Cat\n', '?dryRun=1')).json.message).toBe('dryRun must be true or false.')
  expect((await send('name,category\nAda,Cat\n', '?columns=title')).json.message).toBe(
    'columns must name columns of the file, such as name=Name,category=Type.',
  )
  expect(await names()).toEqual([])
})

test('the media type decides the format, and others are rejected', async () => {
  expect((await send('x', '', { 'Content-Type': 'application/json' })).status).toBe(415)
  expect((await send('x', '', { 'Content-Length': '104857601' })).status).toBe(413)
  expect((await send('[{"name":"Ada"}]', '', { 'Content-Type': 'application/x-ndjson' })).status).toBe(400)
  expect((await send('%PDF-1.7')).json.message).toContain('this is a PDF document')
  expect((await send('')).status).toBe(400)
})

test('undoing removes what was not changed or ordered since, once, and is recorded', async () => {
  await send('name,category\nAda,Rabbit\nBea,Rabbit\nCleo,Rabbit\nDot,Rabbit\n')
  await opened.store.call('PATCH', '/v1/pets/2', { body: { name: 'Changed' } })
  await opened.store.call('POST', '/v1/store/orders', { body: { petId: 3 } })
  const undone = await opened.store.call('DELETE', '/v1/imports/1')
  expect([undone.status, undone.json]).toEqual([
    200,
    { id: 1, removed: 2, removedCategories: 0, changed: 1, ordered: 1, restored: 0, notRestored: 0 },
  ])
  expect(await names()).toEqual(['Changed', 'Cleo'])
  expect((await opened.store.call('GET', '/v1/imports/1')).json).toMatchObject({
    state: 'undone',
    undoneAt: expect.any(String),
  })
  expect((await opened.store.call('DELETE', '/v1/imports/1')).json.code).toBe('conflict')
  expect((await opened.store.call('DELETE', '/v1/imports/99')).json.code).toBe('not_found')
  expect(await auditOf('import.undone')).toMatchObject([
    { details: { importId: 1, removed: 2, changed: 1, ordered: 1 } },
  ])
})

test('a repeated request with the same Idempotency-Key adds nothing and gets the first response', async () => {
  const headers = { 'Idempotency-Key': 'spring' }
  const first = await send('name,category\nAda,Cat\n', '', headers)
  const again = await send('name,category\nAda,Cat\n', '', headers)
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
  expect((await send('name,category\nBea,Cat\n', '', headers)).json.code).toBe('idempotency_key_reused')
  expect((await send('name,category\nAda,Cat\n', '?skipInvalid=true', headers)).json.code).toBe(
    'idempotency_key_reused',
  )
  expect(await names()).toEqual(['Ada'])
})

test('importing and undoing need pets:write, reading pets:read', async () => {
  const { key } = await opened.store.newKey({ scopes: ['pets:read'] })
  const options = { key, rawBody: 'name,category\nAda,Cat\n', headers: csvType }
  expect((await opened.store.call('POST', '/v1/imports', options)).status).toBe(403)
  expect((await opened.store.call('DELETE', '/v1/imports/1', { key })).status).toBe(403)
  expect((await opened.store.call('GET', '/v1/imports', { key })).status).toBe(200)
  expect((await opened.store.call('GET', '/v1/imports/x')).status).toBe(404)
})

test('a file whose sender disconnects in the middle is the fault of the sender, and adds nothing', async () => {
  const file = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('name,category\nAda,Dog\n')),
    pull: (controller) => controller.error(new Error('The connection was lost.')),
  })
  const { status, json } = await send(file)
  expect([status, json.code, json.message]).toEqual([400, 'invalid_body', 'The body is incomplete.'])
  expect(await names()).toEqual([])
})

test('imports are listed in pages by id, also the newest first', async () => {
  for (const name of ['Ada', 'Bea', 'Cleo']) await send(`name,category\n${name},Cat\n`)
  const list = async (path: string) => {
    const { json, headers } = await opened.store.call('GET', path)
    const next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? ''
    return { ids: json.map(({ id }: { id: number }) => id), next }
  }
  const first = await list('/v1/imports?limit=2')
  expect([first.ids, (await list(first.next)).ids]).toEqual([[1, 2], [3]])
  const newest = await list('/v1/imports?order=desc&limit=2')
  expect([newest.ids, (await list(newest.next)).ids]).toEqual([[3, 2], [1]])
})
