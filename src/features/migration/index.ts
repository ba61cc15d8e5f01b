import type { Feature } from '../feature';
import { ALERT_RULES } from './alert-rules';
import { comparedFolder, recordingFolders } from './folders';
import { RETIRED, ROWS } from './settings';
import { TURKISH, TURKISH_FINDINGS } from './turkish';

export const settings = { title: 'Migration' as const, rows: ROWS, retired: RETIRED };

export const texts = { tr: TURKISH };

export const lines = { tr: TURKISH_FINDINGS };

export const dataPaths: Required<Feature>['dataPaths'] = (folder) => [comparedFolder({ DATA_DIR: folder })];

export const writtenFolders: Required<Feature>['writtenFolders'] = recordingFolders;

export const commands: Required<Feature>['commands'] = {
  compare: {
    about: 'compare the responses of the old server and the new one',
    examples: [
      '--old https://old.example --new http://localhost:8080 --probe',
      '--old https://old.example --values-template > values.json',
      '--old https://old.example --new http://localhost:8080 --probe --values values.json --html report.html',
      '--old https://old.example --new http://localhost:8080 --traffic requests.jsonl u_ex261123.log --rate 5',
      '--shadow --html report.html',
    ],
    load: async () => (await import('./command/compare.js')).compare,
  },
};

export const findings: Required<Feature>['findings'] = async (config) =>
  (await import('./open-reverse-proxy.js')).migrationFindings(config);

export const checkOnline: Required<Feature>['checkOnline'] = async (config) =>
  (await import('./check-old-server.js')).checkOldServer(config);

export const alertRules = ALERT_RULES;

/** One to the old server. */
export const connectionsPerCaller: Required<Feature>['connectionsPerCaller'] = ({ OLD_URL }) =>
  OLD_URL === undefined ? 0 : 1;

export const openFront: Required<Feature>['openFront'] = async (core) =>
  core.config.OLD_URL === undefined
    ? undefined
    : (await import('./open-reverse-proxy.js')).openReverseProxy(core);

export const openConsole: Required<Feature>['openConsole'] = async (core) =>
  (await import('./migration-console.js')).migrationConsole(core);
