import { defineConfig } from 'vitest/config';

/** Tests in a real Chromium: `npm run test:browser`. They need one at /usr/bin/chromium, or where CHROMIUM says. */
export default defineConfig({
  test: {
    include: ['test/browser/*-in-browser.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
