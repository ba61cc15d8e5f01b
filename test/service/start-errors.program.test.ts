import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { packageRoot } from '../../scripts/harness';
import { useServices } from './use-services';

describe('62 A program that cannot start', () => {
  const services = useServices();

  /** Copies the package, so that its service descriptions may be changed. */
  function packageCopy(): string {
    const root = join(services.folder, 'package');
    const from = packageRoot();
    mkdirSync(root);
    for (const part of ['dist', 'wsdl', 'scripts', 'package.json']) {
      cpSync(join(from, part), join(root, part), { recursive: true });
    }
    symlinkSync(join(from, 'node_modules'), join(root, 'node_modules'));
    return root;
  }

  it('says why in one line, after the lines of its log, and ends with exit code 1 without listening', async () => {
    const root = packageCopy();
    writeFileSync(join(root, 'wsdl', 'Scheduals.wsdl'), '<wsdl:definitions');
    const service = services.spawn({ root });
    expect(await service.ended()).toEqual({ code: 1, signal: null });
    expect(service.output).not.toContain('listening');
    expect(service.output).toContain('SMS are not sent (SMS_CHANNEL=file)');
    expect(service.errors).toMatch(/^Error: the service did not start. [^\n]*description[^\n]+\n$/);
  });
});
