import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { wsimport } from '../../interop/clients/wsimport';
import { runCommand } from '../../interop/run-command';
import { deviceWhere } from '../../interop/school';
import { OPERATIONS } from '../../harness/contract-operations';
import type { Trial } from '../trial';

/** Java's proxies are made by a program of its own, which reads all descriptions through nginx, over TLS. */
export async function throughProxies(
  nginx: { readonly port: number; readonly ca: string },
  parent: string,
  trial: Trial,
): Promise<void> {
  const what = 'proxies of wsimport, made from the descriptions, call the service';
  if (trial.lacks(what, ...wsimport.tools)) return;
  await trial.check(what, async () => {
    const folder = mkdtempSync(join(parent, 'wsimport-'));
    const [certificate, store] = [join(folder, 'nginx.crt'), join(folder, 'trusted.p12')];
    writeFileSync(certificate, nginx.ca);
    const trusting = ['-noprompt', '-file', certificate, '-keystore', store, '-storepass', 'changeit'];
    await runCommand('keytool', ['-importcert', ...trusting, '-storetype', 'PKCS12'], { folder });
    const options = `-Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=changeit`;
    // Of all programs for Java that this process starts.
    process.env['JAVA_TOOL_OPTIONS'] = options;
    try {
      const address = `https://localhost:${String(nginx.port)}`;
      await wsimport.prepare?.(address, folder);
      const operation = OPERATIONS.find(({ name }) => name === 'GetTokenDevice');
      const [soap11] = wsimport.bindings;
      assert.ok(operation !== undefined && soap11 !== undefined);
      const device = deviceWhere((token) => token !== '');
      const caller = await soap11.open(address, folder, { JAVA_TOOL_OPTIONS: options });
      assert.deepEqual(await caller.call(operation, [device.id]), { kind: 'text', text: device.token });
      await caller.close();
    } finally {
      delete process.env['JAVA_TOOL_OPTIONS'];
    }
  });
}
