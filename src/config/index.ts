export { type QuietHours, quietHours, smsText, timeZone } from './delivery-kinds';
export { comparedFolder, databaseFile, dataPaths, outboxFile } from './data-paths';
export { proxyFor, type ProxyConfig, proxyOptions, type ProxyOptions } from './proxy-settings';
export { SearchPattern } from './patterns';
export type { Setting } from './setting';
export { type OperatorFile, parseJson, readOperatorFile } from './operator-file';
export {
  type Config,
  databaseOptions,
  loadConfig,
  readSettings,
  SettingError,
  Settings,
} from './load-config';
export { SECRET_FILE_SETTINGS } from './secret-files';
export { type SettingName, SETTINGS } from './settings';
export { type Reloadable, type Renewal, SettingsInUse, type Wrong } from './settings-in-use';
export { isThisMachine } from './this-machine';
