import { Command } from 'commander';

import { makeRunFolder, runCommand } from '../../scripts/harness';
import { Report } from '../interop/report';
import { tryCompose } from './compose/compose';
import { tryDeb } from './deb/deb';
import { tryImage } from './image/image';
import { installPackage } from './install-package';
import { tryNginx } from './nginx/nginx';
import { tryUnit } from './systemd/unit';
import type { Workplace } from './trial';
import { tryWindows } from './windows/windows';

const PARTS: Readonly<Record<string, (workplace: Workplace, report: Report) => Promise<void>>> = {
  systemd: tryUnit,
  nginx: tryNginx,
  image: tryImage,
  compose: tryCompose,
  deb: tryDeb,
  windows: tryWindows,
};

const command = new Command('test:packaging')
  .description(
    'Tries what is under packaging/ with the programs that it is for. STRICT=1: what cannot be tried, for want of a ' +
      'program or of rights, has failed.',
  )
  .argument('[part]', `only one of ${Object.keys(PARTS).join(', ')}`, '')
  .action(tryPackaging);

async function tryPackaging(only: string): Promise<void> {
  const report = new Report((text) => process.stdout.write(text));
  const { path: folder, remove } = makeRunFolder('packaging');
  try {
    const { file, folder: installed } = await installPackage(folder);
    for (const [name, run] of Object.entries(PARTS))
      if (name.includes(only)) await run({ folder, file, installed }, report);
  } finally {
    remove();
  }
  console.log(report.totals());
  process.exitCode = report.hasFailed(process.env['STRICT'] === '1') ? 1 : 0;
}

runCommand(command);
