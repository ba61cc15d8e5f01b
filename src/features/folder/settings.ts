import * as z from 'zod';

import { type Kind, optionalFolder, type Setting } from '../../config/kinds';

/** Options of the command `import`, as its arguments. */
const importOptions: Kind<readonly string[]> = {
  allowed:
    '`--replace`, `--ignore-extra-columns`, `--encoding`, `--date-order` and `--map` with their values, or empty',
  schema: z
    .string()
    .transform((text) => text.split(' ').filter((word) => word !== ''))
    .refine((words) =>
      words.every((word) => /^(?!-)|^--(?:replace|ignore-extra-columns|encoding|date-order|map)$/.test(word)),
    ),
};

export const ROWS = {
  IMPORT_FOLDER: {
    default: '',
    kind: optionalFolder,
    description:
      'Folder whose files are imported whenever they have changed, within two minutes; if empty, none is.',
  },
  IMPORT_OPTIONS: {
    default: '',
    kind: importOptions,
    description: 'Options of these imports, such as `--replace`.',
  },
} satisfies Record<string, Setting>;
