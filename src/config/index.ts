export { smsText } from './delivery-kinds';
export { databaseFile, dataPaths, outboxFile } from './data-paths';
export {
  entryName,
  issueText,
  type OperatorFile,
  parseChecked,
  parseJson,
  placeInJson,
  readOperatorFile,
  refuseRepeatedNames,
} from './operator-file';
export { proxyFor, type ProxyConfig, proxyOptions, type ProxyOptions } from './proxy-settings';
export { SearchPattern } from './patterns';
export type { Setting } from './kinds';
export {
  type Config,
  timeLimits,
  databaseOptions,
  isThisMachine,
  loadConfig,
  readSettings,
  SECRET_FILE_SETTINGS,
  SettingError,
  Settings,
} from './load-config';
export { SETTING_SECTIONS, type SettingName, SETTINGS } from './settings';
export { type Reloadable, type ReloadResult, SettingsInUse, type ReloadFailure } from './settings-in-use';
