import type { Config, Settings, SettingsInUse } from '../config';
import type { ServiceLog } from '../telemetry';
import type { ReloadSignal } from './reload';

/** With what the process starts that is not another's child. */
export interface Start {
  readonly settings: Settings;
  readonly inUse: SettingsInUse;
  /** Their values, within what the system lets this process do. */
  readonly config: Config;
  readonly log: ServiceLog;
  readonly reloadSignal: ReloadSignal;
}
