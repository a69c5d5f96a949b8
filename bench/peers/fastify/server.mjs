/**
 * The same work as it is usually done on Node: Fastify with its plugins for bearer keys and rate limits, and
 * better-sqlite3 with durable commits.
 *
 *     node server.mjs DATABASE ANIMALS KEY
 */

import bearerAuth from '@fastify/bearer-auth'
import rateLimit from '@fastify/rate-limit'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

const [, , path, animals, key] = process.argv
const database = new Database(path)
database.pragma('journal_mode = WAL')
database.pragma('synchronous = FULL')
database.exec(
  `CREATE TABLE IF NOT EXISTS pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL, categoryId INTEGER NOT NULL, status TEXT NOT NULL);
   CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status);
   CREATE INDEX IF NOT EXISTS pets_by_category ON pets (categoryId)`,
)
const insert = database.prepare('INSERT INTO pets (name, categoryId, status) VALUES (?, ?, ?)')
database.transaction(() => {
  for (let i = 0; i < Number(animals); i++) insert.run('Honeysuckle', 1 + (i % 6), 'available')
})()
const page = database.prepare('SELECT * FROM pets WHERE id > ? ORDER BY id LIMIT ?')
const one = database.prepare('SELECT * FROM pets WHERE id = ?')

const pet = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId: { type: 'integer' },
    status: { type: 'string' },
  },
}
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 100 },
    categoryId: { type: 'integer', minimum: 1 },
    status: { type: 'string', enum: ['available', 'pending', 'sold'], default: 'available' },
  },
}

const app = Fastify()
await app.register(bearerAuth, { keys: new Set([key]) })
await app.register(rateLimit, { max: 1_000_000_000, keyGenerator: (request) => request.headers.authorization })
app.get('/v1/pets', { schema: { response: { 200: { type: 'array', items: pet } } } }, (request) =>
  page.all(Number(request.query.cursor ?? 0), Number(request.query.limit ?? 20)),
)
app.get('/v1/pets/:id', { schema: { response: { 200: pet } } }, (request) => one.get(Number(request.params.id)))
app.post('/v1/pets', { schema: { body: newPet, response: { 201: pet } } }, (request, reply) => {
  const { name, categoryId, status } = request.body
  const { lastInsertRowid } = insert.run(name, categoryId, status)
  reply.code(201)
  return { id: Number(lastInsertRowid), name, categoryId, status }
})
const address = await app.listen({ port: 0, host: '127.0.0.1' })
console.log(address)
