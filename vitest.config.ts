import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Whole runs start processes; on a busy machine that takes its time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
