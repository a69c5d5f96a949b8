import { defineConfig } from 'vitest/config'

// Bun runs the workers of Vitest as threads.
export default defineConfig({ test: { include: ['vitest/*.test.ts'], pool: 'threads' } })
