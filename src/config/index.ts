export { databaseOptions } from './database-options';
export { quietTimes, timeZone } from './delivery-kinds';
export { type Config, type Environment, loadConfig, readEnvFile } from './load-config';
export { type Setting, SettingError } from './setting';
export { type SettingName, SETTINGS } from './settings';
