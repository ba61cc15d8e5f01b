import { builtinModules } from 'node:module';

import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Matches a line with one whole text, after its name at most, and one with an operand of a PromQL expression. */
const ONE_LITERAL =
  /^\s*(?:[?:] |return |(?:const )?[\w. ]+(?::| =) )?(?:'[^']*'|"[^"]*"|`[^`]*`)(?: as const| satisfies \w+)?[,;:]?(?: \+)?$|^\s*(?:\/|and) sum by /;

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
      // An import says whether it loads a module.
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      // `path/posix` in place of `node:path` would write POSIX paths on Windows.
      'no-restricted-imports': [
        'error',
        { paths: builtinModules.filter((name) => !name.startsWith('node:')) },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    // Generated; and a script that pages contain as it is.
    ignores: ['src/operations/contract-types.ts', 'src/asmx/documents/pages/test-form.ts'],
    rules: {
      'max-len': [
        'error',
        { code: 110, ignoreUrls: true, ignoreRegExpLiterals: true, ignorePattern: ONE_LITERAL.source },
      ],
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
