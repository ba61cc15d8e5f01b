import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores(['dist/', 'build/', 'data/', 'coverage/', 'node_modules/']),
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // `() => this.end()` says what happens; three lines for it say no more.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    // What browsers run.
    files: ['console/*.js', 'src/features/*/browser/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: Object.fromEntries(
        [
          ...[
            'addEventListener',
            'document',
            'Event',
            'EventSource',
            'Path2D',
            'setInterval',
            'getComputedStyle',
            'innerWidth',
            'location',
            'matchMedia',
          ],
          'uPlot',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.{mjs,cjs}'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', __dirname: 'readonly', __filename: 'readonly' },
    },
  },
);
