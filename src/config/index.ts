export { type QuietHours, quietHours, smsText, timeZone } from './delivery-kinds';
export { comparedFolder, databaseFile, dataPaths, outboxFile } from './data-paths';
export type { Setting } from './kinds';
export { type OperatorFile, parseJson, readOperatorFile } from './operator-file';
export {
  type Config,
  databaseOptions,
  loadConfig,
  readSettings,
  SettingError,
  type Settings,
} from './load-config';
export { type SettingName, SETTINGS } from './settings';
export { isThisMachine } from './this-machine';
