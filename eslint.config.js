import neostandard from 'neostandard'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.tap/', 'src/api/graphql/generated.ts', 'src/api/graphql/schema-types.ts', 'src/console/api/operations.ts'] },
  ...neostandard({ ts: true }),
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false, attributes: false } }],
      // `void` marks a promise that is awaited elsewhere, or whose failure is handled inside.
      'no-void': ['error', { allowAsStatement: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // Our factories give closures; none of them uses `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@stylistic/object-property-newline': 'off',
      // Passing an async function where a callback is wanted, and `async` without `await` to satisfy an async contract, are both fine here.
      '@typescript-eslint/require-await': 'off'
    }
  },
  {
    files: ['src/**/*.{ts,tsx}', 'pipelines/**/*.ts'],
    rules: { 'no-console': 'error', 'max-lines': ['warn', { max: 300, skipBlankLines: true, skipComments: true }] }
  },
  {
    // tap's tests are floating by design: t.test() returns a promise that the parent awaits by itself.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      'no-restricted-properties': ['error', { object: 't', property: 'testdir', message: 'It is removed too early: support/test-folder.' }]
    }
  },
  {
    // What a YAML file holds has no types; what is in it is what these tests are about.
    files: ['test/unit/deploy/*.ts'],
    rules: Object.fromEntries(['argument', 'call', 'return'].map((what) => [`@typescript-eslint/no-unsafe-${what}`, 'off']))
  }
)
