import tseslint from 'typescript-eslint';
import lit from 'eslint-plugin-lit';

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'data', 'artifacts'] },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: {
      parserOptions: {
        // Server and tests in one program: each one more is as much work again.
        project: ['./tsconfig.lint.json', './test/widget/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Lets interfaces promise async work that one adapter does at once.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unified-signatures': 'off',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          name: 'fast-check',
          message: 'Import `test/support/properties.ts`.',
          allowTypeImports: true,
        },
      ],
    },
  },
  {
    files: ['test/support/properties.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
  // They only list: what there is, and what it works with.
  {
    files: ['server/app.ts', 'server/**/index.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  // A table: what stands in it is found by name.
  { files: ['server/settings.ts'], rules: { 'max-lines': 'off' } },
  { files: ['widget/**/*.ts'], ...lit.configs['flat/recommended'] },
);
