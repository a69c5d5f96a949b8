import { defineConfig } from 'drizzle-kit'

// `bunx drizzle-kit generate` writes a migration for what the tables gained; src/database/migrate.ts embeds it.
export default defineConfig({
  dialect: 'sqlite',
  schema: './src/**/table.ts',
  out: './src/database/migrations',
})
