import { comparedFolder, type Config } from '../config';
import { OperatorError } from '../support/errors';
import { readFindings, type Report } from '../migration';

/**
 * What the processes of this node have compared while the old server answered.
 *
 * @throws OperatorError where there is nothing yet
 */
export function shadowReport(config: Config): Report {
  const folder = comparedFolder(config);
  const found = readFindings(folder);
  if (found === undefined) {
    throw new OperatorError(
      `Nothing was compared yet: ${folder} holds nothing. The service writes there while it stands in front of an old server (OLD_URL).`,
    );
  }
  const { from, to, findings } = found;
  return {
    old: config.OLD_URL ?? 'The old server',
    ours: 'this service',
    startedAt: from,
    seconds: Math.round((Date.parse(to) - Date.parse(from)) / 1000),
    notes: [`Compared while the old server answered, from ${from} to ${to}; remove ${folder} to begin anew.`],
    findings,
  };
}
