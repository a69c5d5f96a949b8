import { defineConfig } from 'drizzle-kit'

// Read by scripts/migration.sh, which writes a migration for what has changed in the tables.
export default defineConfig({
  dialect: 'sqlite',
  schema: './src/**/table.ts',
  out: './src/database/migrations',
})
