import { closeSync, openSync } from 'node:fs';

import type { AuditTrail } from '../admin/login/audit-trail';
import type { Config, Reloadable, ReloadResult, SettingsInUse, ReloadFailure } from '../config';
import { OperatorError } from '../support/errors';
import type { ServiceLog } from '../telemetry';
import type { ServiceManager } from './service-manager';

interface ReloadSteps {
  readonly inUse: SettingsInUse;
  /** Notified when files are reloaded, and when that is done. */
  readonly manager: ServiceManager;
  /** Records the reload. */
  readonly trail?: Pick<AuditTrail, 'note'>;
  /** Applies the settings in use to the whole service; resolves with those that could not be applied. */
  readonly reload: () => Promise<readonly ReloadFailure[]>;
}

/** Reloads settings and files on SIGHUP. Windows has no such signal. */
export class ReloadSignal {
  readonly #log: Pick<ServiceLog, 'logger'>;
  #steps: ReloadSteps | undefined;
  #isReading = false;
  #isAsked = false;

  /** Handles the signal from now on; reloads requested before the service has started happen then. */
  constructor(log: Pick<ServiceLog, 'logger'>) {
    this.#log = log;
    if (process.platform === 'win32') return;
    process.on('SIGHUP', () => {
      if (isHungUp()) process.kill(process.pid, 'SIGTERM');
      else {
        this.#isAsked = true;
        void this.#readAsked();
      }
    });
  }

  /** Called when the service has started. */
  serve(steps: ReloadSteps): void {
    this.#steps = steps;
    void this.#readAsked();
  }

  /** Repeats the reload for signals that arrive during one. */
  async #readAsked(): Promise<void> {
    if (this.#steps === undefined || this.#isReading) return;
    this.#isReading = true;
    while (this.#isAsked) {
      this.#isAsked = false;
      await readAgain(this.#steps, this.#log);
    }
    this.#isReading = false;
  }
}

/** Logs its last line when all processes use the new settings. */
async function readAgain(
  { inUse, manager, reload, trail }: ReloadSteps,
  { logger }: Pick<ServiceLog, 'logger'>,
): Promise<void> {
  void manager.reloading();
  let changed: ReloadResult['changed'] = [];
  try {
    const renewal = inUse.readAgain();
    ({ changed } = renewal);
    const notTaken = await reload();
    inUse.goBack(notTaken.flatMap(({ names }) => names));
    const taken = report(renewal, notTaken, logger);
    void trail?.note('signal', 'settings reloaded', { changed: taken.join(', ') || 'files only' });
  } catch (error) {
    // Not the fault of a file. The service continues, and the next signal finds the same changes.
    inUse.goBack(changed);
    logger.error({ err: error }, 'reload failed; restart the service');
  }
  void manager.ready();
}

/** Logs the result of a reload, and returns the names of the changed settings. */
function report(
  renewal: ReloadResult,
  notTaken: readonly ReloadFailure[],
  logger: ServiceLog['logger'],
): readonly string[] {
  const allWrong = [...renewal.wrong, ...notTaken];
  const wrong = new Set(allWrong.flatMap(({ names }) => names));
  for (const { names, reason } of allWrong)
    logger.error(
      { settings: names, reason },
      'reload failed, the previous settings and files stay in effect',
    );
  const { needRestart } = renewal;
  if (needRestart.length > 0)
    logger.warn({ settings: needRestart }, 'changed settings take effect after a restart');
  const changed = renewal.changed.filter((name) => !wrong.has(name));
  logger.info({ changed, wrong: [...wrong], needRestart }, 'reloaded settings and files');
  return changed;
}

/**
 * Applies the current settings and files to each part.
 *
 * @returns those that could not be applied
 */
export function reloadAll(reloadables: readonly Reloadable[], config: Config): readonly ReloadFailure[] {
  return reloadables.flatMap((each) => {
    try {
      each.reload(config);
      return [];
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      return [{ names: each.settings.filter((name) => isSet(config[name])), reason: error.message }];
    }
  });
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== '';
}

/**
 * Returns true if the terminal that started the service has closed, which sends the same signal to end its programs.
 */
function isHungUp(): boolean {
  if (!process.stdin.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}
