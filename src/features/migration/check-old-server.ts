import type { CheckSection } from '../../admin/reports/checks';
import type { Config } from '../../config';
import { readDescriptions } from '../../service/endpoints';
import { PROGRAM_NAME } from '../../support/program-name';
import { checkDescriptions } from './comparing/describe';
import { OLD_SILENCE_MS } from './limits';

/** Compares the service descriptions of the old server, if any, with the contract. */
export async function checkOldServer({
  OLD_URL: url,
  SERVICE_NAMESPACE,
}: Config): Promise<readonly CheckSection[]> {
  if (url === undefined) return [];
  const checks = await checkDescriptions(url, await readDescriptions(SERVICE_NAMESPACE), OLD_SILENCE_MS);
  const [unreached] = checks.filter(({ failure }) => failure !== undefined);
  const different = checks.filter(({ differences }) => differences.length > 0);
  return [
    {
      title: 'Old server',
      rows: checks.map(({ path, failure, differences }) => [path, failure ?? descriptionText(differences)]),
      findings: [
        ...(unreached === undefined
          ? []
          : [
              {
                level: 'error' as const,
                message: `The old server (OLD_URL) is not responding: ${unreached.failure ?? ''}. Check that it runs and that this machine can reach it.`,
              },
            ]),
        ...(different.length === 0
          ? []
          : [
              {
                level: 'warn' as const,
                message: `The old server (OLD_URL) describes ${different.map(({ path }) => path).join(', ')} differently. Run ${PROGRAM_NAME} compare to see each difference.`,
              },
            ]),
      ],
    },
  ];
}

function descriptionText([first, ...others]: readonly string[]): string {
  if (first === undefined) return 'same description';
  return `description differs at ${first}\
${others.length === 0 ? '' : ` and ${String(others.length)} more places`}`;
}
