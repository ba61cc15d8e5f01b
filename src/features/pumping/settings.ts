import { choice, type Setting } from '../../config/kinds';

export const ROWS = {
  PUMPING_GUARD: {
    default: 'record',
    kind: choice('off', 'record', 'enforce'),
    description:
      'Protection against SMS pumping, if more codes than usual go to a number range or country: `off`; `record` logs a warning; `enforce` blocks the range for 12 hours, and needs DEFAULT_COUNTRY or ALLOWED_COUNTRIES.',
  },
} satisfies Record<string, Setting>;
