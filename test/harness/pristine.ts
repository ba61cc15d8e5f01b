import { Client } from 'pg';

import { query } from './postgres-databases';

/**
 * The tests' PostgreSQL databases have, beside the service's own tables, a copy of the rows that they begin with,
 * and a function that puts them back. Making a database takes some 50 times as long (`create database` copies the
 * whole catalogue).
 */

/** Tables are made after those that they refer to, and so are filled in the order of their numbers. */
const TABLES = `select oid, relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`;

const KEEP = `
create schema pristine;

-- Everything that a test may change beside rows.
create function pristine.shape() returns text language sql as $$
  select md5(string_agg(line, ' ' order by line)) from (
    select concat_ws(' ', oid, relname, relacl) from pg_class where relnamespace = 'public'::regnamespace
    union all select concat_ws(' ', attrelid, attnum, attname, atttypid, attnotnull, atthasdef) from pg_attribute
      where attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
    union all select concat_ws(' ', oid, conname) from pg_constraint where connamespace = 'public'::regnamespace
    union all select concat_ws(' ', oid, tgname, tgenabled) from pg_trigger
    union all select concat_ws(' ', oid, proname) from pg_proc where pronamespace = 'public'::regnamespace
    union all select concat_ws(' ', setrole, setconfig) from pg_db_role_setting
      where setdatabase = (select oid from pg_database where datname = current_database())
  ) as lines (line)
$$;

do $$
declare tables record;
begin
  execute format('create function pristine.first_shape() returns text language sql as %L',
    format('select %L', pristine.shape()));
  for tables in ${TABLES} loop
    execute format('create table pristine.%I as table public.%I', tables.relname, tables.relname);
  end loop;
end $$;

create function pristine.restore() returns boolean language plpgsql as $$
declare tables record;
begin
  if pristine.shape() <> pristine.first_shape() then return false; end if;
  perform pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid();
  for tables in ${TABLES} order by oid desc loop
    execute format('delete from public.%I', tables.relname);
  end loop;
  for tables in ${TABLES} order by oid loop
    execute format('insert into public.%I select * from pristine.%I', tables.relname, tables.relname);
  end loop;
  return true;
end $$`;

/** Remembers what a database holds now, for itself and those that are copied from it. */
export async function keepPristine(url: string): Promise<void> {
  await query(url, KEEP);
}

/** Connections that wait for the next test, by URL: to make one takes longer than what is asked of it. */
const kept = new Map<string, Client>();

/** Puts back what was remembered. False where more was changed than rows: such a database is of no more use. */
export async function restorePristine(url: string): Promise<boolean> {
  const restore = 'select pristine.restore() as restored';
  // Tests end connections, too.
  const answer = await kept
    .get(url)
    ?.query(restore)
    .catch(() => undefined);
  const { rows } = answer ?? (await (await connect(url)).query(restore));
  return (rows[0] as { readonly restored: boolean }).restored;
}

/** Leaves a database, which is about to be dropped. */
export async function leavePristine(url: string): Promise<void> {
  await kept.get(url)?.end();
  kept.delete(url);
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  kept.set(url, client);
  return client.on('error', () => kept.delete(url));
}
