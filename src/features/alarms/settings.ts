import { optionalFile, type Setting } from '../../config/kinds';

export const ROWS = {
  ALERTS_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'JSON file with the receivers of alerts, by e-mail or webhook; if empty, alerts are not sent.',
    holdsSecret: true,
    reloads: true,
  },
} satisfies Record<string, Setting>;
