import { REFERENCE_ENDPOINTS } from './endpoints';
import { startReference } from './service';

/** Runs the reference service on PORT (8080) of HOST (all addresses) until a signal ends it. */
async function main(): Promise<void> {
  const service = await startReference({
    port: Number(process.env['PORT'] ?? 8080),
    host: process.env['HOST'],
  });
  const count = String(REFERENCE_ENDPOINTS.length + 1);
  console.log(`Reference service with ${count} endpoints on http://localhost:${String(service.port)}/`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void service.close());
}

main().catch((error: unknown) => {
  console.error(
    `The reference service did not start: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
});
