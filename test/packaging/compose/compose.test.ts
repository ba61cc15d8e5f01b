import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { parse } from 'yaml';
import * as z from 'zod';

import { PACKAGE_ROOT } from '../../../scripts/harness';
import { loadConfig, SECRET_FILE_SETTINGS, SETTINGS, timeLimits } from '../../../src/config';

const PACKAGING = join(PACKAGE_ROOT, 'packaging');
const read = (name: string): string => readFileSync(join(PACKAGING, name), 'utf8');

/** All that a service has: what is not here, such as `cap_add` or `privileged`, is refused. */
const Service = z.strictObject({
  image: z.string(),
  build: z
    .object({ context: z.string(), dockerfile: z.string(), args: z.object({ FILE: z.string() }) })
    .optional(),
  hostname: z.string().optional(),
  profiles: z.array(z.string()).optional(),
  user: z.string().optional(),
  read_only: z.boolean(),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: z.array(z.union([z.string(), z.object({ source: z.string(), target: z.string() })])),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  networks: z.union([
    z.array(z.string()),
    z.record(z.string(), z.object({ ipv4_address: z.string().optional() })),
  ]),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  stop_grace_period: z.string().optional(),
  restart: z.literal('unless-stopped'),
  logging: z.object({ options: z.object({ 'max-size': z.string(), 'max-file': z.string() }) }),
  tmpfs: z.array(z.string()).optional(),
  mem_limit: z.string().optional(),
  shm_size: z.string().optional(),
  sysctls: z.record(z.string(), z.string()).optional(),
});
type Service = z.infer<typeof Service>;
const Compose = z.object({
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.object({ internal: z.boolean().optional() }).loose()),
  volumes: z.record(z.string(), z.object({})),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

const COMPOSE = Compose.parse(parse(read('compose.yaml'), { merge: true }));
const SERVICES = Object.entries(COMPOSE.services);
const NODES = SERVICES.filter(([name]) => name.startsWith('node-'));
const service = (name: string): Service => Service.parse(COMPOSE.services[name]);
const listedIn = (pattern: RegExp, file: string): string[] =>
  [...read(file).matchAll(pattern)].map(([, found]) => found ?? '');
const isNamed = (volume: string): boolean => !volume.startsWith('.');

describe('compose.yaml', () => {
  it.each(SERVICES)('gives %s only the rights that it needs', (_, contained) => {
    expect(contained).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    // The service's own image has its user.
    expect(contained.build !== undefined || /^[1-9]\d*:/.test(contained.user ?? '')).toBe(true);
  });

  it.each(SERVICES)('defines the secrets, volumes, networks and services that %s uses', (name, contained) => {
    const secrets = contained.secrets.map((secret) => (typeof secret === 'string' ? secret : secret.source));
    expect(Object.keys(COMPOSE.secrets)).toEqual(expect.arrayContaining(secrets));
    const [volumes, files] = [
      contained.volumes.filter(isNamed),
      contained.volumes.filter((v) => !isNamed(v)),
    ];
    expect(Object.keys(COMPOSE.volumes)).toEqual(
      expect.arrayContaining(volumes.map((volume) => volume.split(':')[0])),
    );
    for (const file of files) {
      const [, path = '', , mode] = /^\.\/([^:]+):([^:]+):(\w+)$/.exec(file) ?? [];
      expect(read(path)).not.toBe('');
      expect(mode).toBe('ro');
    }
    const networks = Array.isArray(contained.networks) ? contained.networks : Object.keys(contained.networks);
    expect(Object.keys(COMPOSE.networks)).toEqual(expect.arrayContaining(networks));
    for (const [other, { condition }] of Object.entries(contained.depends_on)) {
      expect(other).not.toBe(name);
      expect(condition).toBe('service_healthy');
      expect(service(other).build ?? service(other).healthcheck).toBeDefined();
    }
  });

  it('gives each secret to a service, as the file named by its variable', () => {
    const given = SERVICES.flatMap(([, { secrets }]) => secrets);
    expect(new Set(given.map((secret) => (typeof secret === 'string' ? secret : secret.source)))).toEqual(
      new Set(Object.keys(COMPOSE.secrets)),
    );
    for (const [, { environment, secrets }] of SERVICES) {
      const named = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
      expect(named.map(([, path]) => path)).toEqual(
        secrets.filter((secret) => typeof secret === 'string').map((name) => `/run/secrets/${name}`),
      );
    }
  });

  it('publishes only the port of nginx', () => {
    const [port = ''] = listedIn(/^ *listen (\d+)/gm, 'nginx.conf');
    for (const [name, { ports }] of SERVICES)
      expect(ports).toEqual(name === 'nginx' ? [`${port}:${port}`] : []);
  });

  it('keeps PostgreSQL reachable only by the nodes, with its own volume', () => {
    expect(COMPOSE.networks['database']?.internal).toBe(true);
    expect(service('postgres').networks).toEqual(['database']);
    expect(Object.keys(service('nginx').networks)).toEqual(['front']);
    expect(service('postgres').volumes).toEqual(['postgres:/var/lib/postgresql/data']);
  });

  it('checks the health of the database that PostgreSQL creates', () => {
    const { environment, healthcheck } = service('postgres');
    // Of the image, whose reference lists more.
    expect(Object.keys(environment)).toEqual(['POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD_FILE']);
    expect(healthcheck?.test).toEqual(
      expect.arrayContaining([
        `--username=${environment['POSTGRES_USER'] ?? ''}`,
        `--dbname=${environment['POSTGRES_DB'] ?? ''}`,
      ]),
    );
  });
});

describe('the page about compose.yaml', () => {
  const page = read('../docs/install.md');

  it('creates each secret at the path in the file', () => {
    for (const { file } of Object.values(COMPOSE.secrets)) {
      expect(dirname(file)).toBe('/etc/school-notifications/secrets');
      expect(page).toMatch(new RegExp(` \\$secrets/${basename(file)}$`, 'm'));
    }
  });

  it('connects the nodes to the database that PostgreSQL creates', () => {
    const [, url = ''] = /^echo "(postgres:\S+ [^"]+)" \|/m.exec(page) ?? [];
    const DATABASE_URL = url.replace(/\$\([^)]+\)/, 'password');
    expect(() => loadConfig({ DATABASE_URL })).not.toThrow();
    const { username, hostname, pathname } = new URL(DATABASE_URL);
    const { POSTGRES_USER, POSTGRES_DB } = service('postgres').environment;
    expect([username, hostname, pathname]).toEqual([POSTGRES_USER, 'postgres', `/${POSTGRES_DB ?? ''}`]);
  });
});

describe('the nodes of compose.yaml', () => {
  it('are two that differ only in their names, addresses and volumes', () => {
    const alike = NODES.map(([name, { hostname, volumes, networks, ...rest }]) => {
      expect(hostname).toBe(name);
      expect(volumes).toEqual([`${name}:/data`]);
      expect(Object.keys(networks)).toEqual(['front', 'database']);
      return rest;
    });
    expect(alike).toHaveLength(2);
    expect(alike[1]).toEqual(alike[0]);
  });

  it('include a third one for commands, which does not start with them', () => {
    const { profiles, networks, volumes, ...rest } = service('command');
    expect({ profiles, networks, volumes }).toEqual({
      profiles: ['command'],
      networks: ['front', 'database'],
      volumes: [],
    });
    expect(NODES[0]?.[1]).toMatchObject(rest);
  });

  it('are built from the Containerfile and the package of this version', () => {
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('../package.json')));
    expect(NODES[0]?.[1].build).toEqual({
      context: '..',
      dockerfile: 'packaging/Containerfile',
      args: { FILE: `school-notifications-${version}.tgz` },
    });
    expect(listedIn(/^VOLUME (\S+)$/gm, 'Containerfile')).toEqual(['/data']);
  });

  it('have valid settings, and no secret in the file', () => {
    for (const [, { environment }] of NODES) {
      const isFile = (name: string): boolean => SECRET_FILE_SETTINGS.includes(name);
      const plain = Object.entries(environment).filter(([name]) => !isFile(name));
      for (const [name] of plain) {
        expect(Object.keys(SETTINGS)).toContain(name);
        expect(SECRET_FILE_SETTINGS).not.toContain(`${name}_FILE`);
      }
      expect(() => loadConfig(Object.fromEntries(plain))).not.toThrow();
      // SQLite's file could not be shared.
      expect(Object.keys(environment)).toContain('DATABASE_URL_FILE');
    }
  });

  it('have enough time to stop', () => {
    for (const [, { stop_grace_period: grace = '' }] of NODES)
      expect(Number(/^(\d+)s$/.exec(grace)?.[1])).toBeGreaterThan(timeLimits(loadConfig({})).stopMs / 1000);
  });

  it('receive the requests of nginx, and trust only nginx', () => {
    const addressOf = ({ networks }: Service): string | undefined =>
      Array.isArray(networks) ? undefined : networks['front']?.ipv4_address;
    const [port = ''] = listedIn(/^EXPOSE (\d+)$/gm, 'Containerfile');
    expect(loadConfig({}).PORT).toBe(Number(port));
    expect(listedIn(/^server (\S+);$/gm, 'compose-nodes.conf')).toEqual(
      NODES.map(([, node]) => `${addressOf(node) ?? ''}:${port}`),
    );
    for (const [, { environment }] of NODES)
      expect(environment['TRUST_PROXY']).toBe(addressOf(service('nginx')));
  });

  it('are behind an nginx whose files are where nginx.conf expects them', () => {
    const { volumes, secrets } = service('nginx');
    const inside = [
      ...volumes.map((volume) => volume.split(':')[1]),
      ...secrets.map((secret) => (typeof secret === 'string' ? '' : secret.target)),
    ];
    const named = listedIn(/^ *(?:include|ssl_certificate|ssl_certificate_key) (\S+);$/gm, 'nginx.conf');
    expect(named).toHaveLength(3);
    expect(inside).toEqual(expect.arrayContaining(named));
  });
});
