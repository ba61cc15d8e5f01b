import { alertRules } from './alert-rules';
import { clientCodePage } from './client-code';
import { commandsPage } from './commands';
import { differencesPage } from './differences';
import { IMPORT_PAGE, importPage } from './import-cells';
import { metricsPage } from './metrics';
import { presetPages } from './presets';
import { reasonsPage } from './reasons';
import { settingsExample, settingsPage } from './settings';

/** A file that is generated from the code. */
interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: () => string | Promise<string>;
}

export const PAGES: readonly Page[] = [
  { path: 'packaging/prometheus/rules.yml', text: alertRules },
  { path: '.env.example', text: settingsExample },
  { path: 'docs/reference/settings.md', text: settingsPage },
  { path: 'docs/reference/commands.md', text: commandsPage },
  { path: 'docs/reference/client-code.md', text: clientCodePage },
  { path: 'docs/reference/metrics.md', text: metricsPage },
  { path: 'docs/reference/reasons.md', text: reasonsPage },
  { path: 'docs/reference/differences-from-asmx.md', text: differencesPage },
  { path: IMPORT_PAGE, text: importPage },
  ...presetPages(),
];
