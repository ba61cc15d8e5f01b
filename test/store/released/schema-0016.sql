SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.caller_codes (
    day bigint NOT NULL,
    caller text NOT NULL COLLATE pg_catalog."C",
    codes bigint NOT NULL
);
CREATE TABLE public.caller_days (
    day bigint NOT NULL,
    caller text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    agent text NOT NULL COLLATE pg_catalog."C",
    operation text NOT NULL COLLATE pg_catalog."C",
    binding text NOT NULL COLLATE pg_catalog."C",
    requests bigint NOT NULL,
    last_seen_at bigint NOT NULL
);
CREATE TABLE public.classes (
    school_id integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.code_traffic (
    caller text NOT NULL COLLATE pg_catalog."C",
    area text NOT NULL COLLATE pg_catalog."C",
    day bigint NOT NULL,
    codes bigint NOT NULL
);
CREATE TABLE public.daily_usage (
    digest text NOT NULL COLLATE pg_catalog."C",
    day text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    school text NOT NULL COLLATE pg_catalog."C",
    country text NOT NULL COLLATE pg_catalog."C",
    caller text NOT NULL COLLATE pg_catalog."C",
    messages bigint NOT NULL,
    parts bigint NOT NULL
);
CREATE TABLE public.devices (
    id text NOT NULL COLLATE pg_catalog."C",
    school_id integer NOT NULL,
    student_id text NOT NULL COLLATE pg_catalog."C",
    token text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    last_seen bigint,
    valid integer DEFAULT 1 NOT NULL
);
CREATE TABLE public.erasures (
    command text NOT NULL COLLATE pg_catalog."C",
    removed text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);
CREATE TABLE public.exam_entries (
    exam_id text NOT NULL COLLATE pg_catalog."C",
    subject_name text NOT NULL COLLATE pg_catalog."C",
    exam_date text NOT NULL COLLATE pg_catalog."C",
    start_time text NOT NULL COLLATE pg_catalog."C",
    duration_minutes integer NOT NULL
);
CREATE TABLE public.exams (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.figures (
    step text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    figure text NOT NULL COLLATE pg_catalog."C",
    first text NOT NULL COLLATE pg_catalog."C",
    second text NOT NULL COLLATE pg_catalog."C",
    third text NOT NULL COLLATE pg_catalog."C",
    counted bigint NOT NULL
);
CREATE TABLE public.held_areas (
    area text NOT NULL COLLATE pg_catalog."C",
    caller text NOT NULL COLLATE pg_catalog."C",
    held_from bigint NOT NULL,
    held_until bigint NOT NULL,
    codes bigint NOT NULL
);
CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.messages (
    id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    recipient text NOT NULL COLLATE pg_catalog."C",
    school text NOT NULL COLLATE pg_catalog."C",
    payload text COLLATE pg_catalog."C",
    dedupe_key text COLLATE pg_catalog."C",
    attempts integer NOT NULL,
    next_attempt_at bigint NOT NULL,
    lease_owner text COLLATE pg_catalog."C",
    lease_until bigint,
    expires_at bigint NOT NULL,
    provider_id text COLLATE pg_catalog."C",
    last_error text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    caller text COLLATE pg_catalog."C",
    area text COLLATE pg_catalog."C",
    request_id text COLLATE pg_catalog."C",
    resolved_at bigint,
    without_device integer,
    attempt_log text COLLATE pg_catalog."C",
    parts integer,
    country text COLLATE pg_catalog."C",
    note text COLLATE pg_catalog."C"
);
CREATE TABLE public.new_database (
    is_new integer NOT NULL
);
CREATE TABLE public.nodes (
    name text NOT NULL COLLATE pg_catalog."C",
    heard_at bigint NOT NULL,
    facts text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.note_types (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.notes (
    school_id integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    note_type text COLLATE pg_catalog."C",
    title text NOT NULL COLLATE pg_catalog."C",
    text text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.schools (
    id integer NOT NULL,
    base_url text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE public.schools ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.schools_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.students (
    school_id integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    full_name text NOT NULL COLLATE pg_catalog."C",
    show_active text NOT NULL COLLATE pg_catalog."C",
    class_id text COLLATE pg_catalog."C",
    device_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
INSERT INTO public.caller_days VALUES (20780, 'portal', '', 'android', 'AuthCode', 'get', 32, 1795453496995);
INSERT INTO public.caller_days VALUES (20780, 'portal', '', 'android', 'SendMarkNotes', 'get', 4, 1795453496995);
INSERT INTO public.classes VALUES (1, '1A', '1A');
INSERT INTO public.classes VALUES (1, '1B', '1B');
INSERT INTO public.classes VALUES (1, '2C', '2C');
INSERT INTO public.daily_usage VALUES ('o1eiweC-tN4mM3xoauNCm71OY_-dn4b1CtSAnE5NqnY', '2026-11-23', 'push', 'sent', 'https://a.example', '', 'portal', 1, 0);
INSERT INTO public.devices VALUES ('D1', 1, 'S1', 'token-1', 'android', 1793520000000, 1);
INSERT INTO public.devices VALUES ('D4', 1, 'S4', 'token-4', 'android', NULL, 1);
INSERT INTO public.devices VALUES ('D2', 1, 'S2', 'token-2', 'ios', 1793606400000, 0);
INSERT INTO public.erasures VALUES ('forget', '{"students":1,"devices":1,"messages":1,"cancelled":0}', 1795453583962);
INSERT INTO public.exam_entries VALUES ('E1', 'Türkçe', '2026-11-30', '09:00', 90);
INSERT INTO public.exam_entries VALUES ('E1', 'اللغة العربية', '2026-12-01', '13:30', 60);
INSERT INTO public.exams VALUES ('E1', 'First exams');
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'requests', 'AuthCode', 'get', 'ok', 32);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'requests', 'AuthCode', 'get', 'ok', 32);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'requests', 'SendMarkNotes', 'get', 'ok', 4);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'requests', 'SendMarkNotes', 'get', 'ok', 4);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'settled', 'sms', 'sent', '', 31);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'settled', 'sms', 'sent', '', 31);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'settled', 'sms', 'failed', '', 1);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'settled', 'sms', 'failed', '', 1);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'settled', 'push', 'sent', '', 2);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'settled', 'push', 'sent', '', 2);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'settled', 'push', 'failed', '', 1);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'settled', 'push', 'failed', '', 1);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'settled', 'mark', 'partly', '', 1);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'settled', 'mark', 'partly', '', 1);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'settled', 'mark', 'suppressed', '', 1);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'settled', 'mark', 'suppressed', '', 1);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'settled', 'mark', 'sent', '', 1);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'settled', 'mark', 'sent', '', 1);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'sent', 'sms', '0.05', '', 16);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'sent', 'sms', '0.05', '', 16);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'sent', 'sms', '0.1', '', 12);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'sent', 'sms', '0.1', '', 12);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'sent', 'sms', '0.25', '', 2);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'sent', 'sms', '0.25', '', 2);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'sent', 'sms', '0.5', '', 1);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'sent', 'sms', '0.5', '', 1);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'sent', 'push', '0.25', '', 1);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'sent', 'push', '0.25', '', 1);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'sent', 'push', '2', '', 1);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'sent', 'push', '2', '', 1);
INSERT INTO public.figures VALUES ('minute', 1795453440000, 'sent', 'mark', '0.5', '', 1);
INSERT INTO public.figures VALUES ('hour', 1795453200000, 'sent', 'mark', '0.5', '', 1);
INSERT INTO public.held_areas VALUES ('n:GG:791112', 'portal', 1795453497565, 1795496697565, 12);
INSERT INTO public.kysely_migration VALUES ('0001_initial', '2026-11-23T17:04:43.152Z');
INSERT INTO public.kysely_migration VALUES ('0002_delivery', '2026-11-23T17:04:43.182Z');
INSERT INTO public.kysely_migration VALUES ('0003_whole_phones', '2026-11-23T17:04:43.207Z');
INSERT INTO public.kysely_migration VALUES ('0004_new_database', '2026-11-23T17:04:43.235Z');
INSERT INTO public.kysely_migration VALUES ('0005_forgetting', '2026-11-23T17:04:43.254Z');
INSERT INTO public.kysely_migration VALUES ('0006_callers', '2026-11-23T17:04:43.286Z');
INSERT INTO public.kysely_migration VALUES ('0007_code_traffic', '2026-11-23T17:04:43.344Z');
INSERT INTO public.kysely_migration VALUES ('0008_requests_and_attempts', '2026-11-23T17:04:43.409Z');
INSERT INTO public.kysely_migration VALUES ('0009_usage', '2026-11-23T17:04:43.450Z');
INSERT INTO public.kysely_migration VALUES ('0010_finding_messages', '2026-11-23T17:04:43.519Z');
INSERT INTO public.kysely_migration VALUES ('0011_erasures', '2026-11-23T17:04:43.533Z');
INSERT INTO public.kysely_migration VALUES ('0012_fewer_indexes', '2026-11-23T17:04:43.540Z');
INSERT INTO public.kysely_migration VALUES ('0013_figures', '2026-11-23T17:04:43.565Z');
INSERT INTO public.kysely_migration VALUES ('0014_lighter_messages', '2026-11-23T17:04:43.635Z');
INSERT INTO public.kysely_migration VALUES ('0015_students_in_order', '2026-11-23T17:04:43.636Z');
INSERT INTO public.kysely_migration VALUES ('0016_nodes', '2026-11-23T17:04:43.639Z');
INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);
INSERT INTO public.messages VALUES ('01a2095e-2443-7000-96c0-9b3ff897f7bd', 'sms', 'sent', '+905551112233', '', NULL, '19986ea77194d7b3e7c1c0d119d95ad8a7138b62106b1293053383b82d363376', 1, 1795453494675, NULL, NULL, 1795453794339, 'sms-1', NULL, 1795453494339, 1795453494675, 'portal', 'h:TR:555111', NULL, NULL, NULL, '{"at":1795453494571,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":104,"parts":1}
', 1, 'TR', NULL);
INSERT INTO public.messages VALUES ('01a2095e-2613-7000-bcb5-8e3776304478', 'sms', 'failed', '+905551112244', '', '{"code":"222222"}', '3d7af8839ccc6f02be017048c5f0f03fe5757da8e98a3da24771c5926eb2e5be', 1, 1795453494970, NULL, NULL, 1795453794803, NULL, 'The provider answered 400.', 1795453494803, 1795453494970, 'portal', 'h:TR:555111', NULL, NULL, NULL, '{"at":1795453494946,"provider":"http","outcome":"refused","status":400,"reason":"The provider answered 400.","milliseconds":24}
', NULL, 'TR', NULL);
INSERT INTO public.messages VALUES ('01a2095e-2d64-7000-ab20-3f940b5354a1', 'mark', 'sent', '2C', 'https://a.example', '{"note":"N2"}', 'f3bb79a62ce879944203adbc8441ec4c19debbcb3f622781e807657cec024625', 1, 1795453496842, NULL, NULL, 1795539896676, NULL, NULL, 1795453496676, 1795453496949, 'portal', NULL, NULL, 1795453496776, 0, '', NULL, NULL, 'N2');
INSERT INTO public.messages VALUES ('01a2095e-27ee-7000-9cc0-ba6fc42a9263', 'push', 'sent', 'D1', 'https://a.example', '{"note":"N1"}', NULL, 1, 1795453496285, NULL, NULL, 1795539895160, 'projects/p/messages/push-1', NULL, 1795453495278, 1795453496285, 'portal', NULL, '01a2095e-2778-7000-89ee-b74d71a8bb63', NULL, NULL, '{"at":1795453495737,"provider":"fcm","outcome":"sent","status":200,"providerId":"projects/p/messages/push-1","milliseconds":548}
', NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('01a2095e-27ee-7001-8cb1-b55f1d2c10eb', 'push', 'failed', 'D2', 'https://a.example', '{"note":"N1"}', NULL, 1, 1795453496361, NULL, NULL, 1795539895160, NULL, 'FCM answered 404 UNREGISTERED: the device is gone.', 1795453495278, 1795453496361, 'portal', NULL, '01a2095e-2778-7000-89ee-b74d71a8bb63', NULL, NULL, '{"at":1795453495738,"provider":"fcm","outcome":"dead-token","status":404,"reason":"FCM answered 404 UNREGISTERED: the device is gone.","milliseconds":549}
', NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('01a2095e-2778-7000-89ee-b74d71a8bb63', 'mark', 'partly', '1A', 'https://a.example', '{"note":"N1"}', 'ea14a7032eb21e852606556f7b45e4835d712d6a1d88286aa8d4d0d26ead1346', 1, 1795453495528, NULL, NULL, 1795539895160, NULL, '1 of 2 did not go: FCM answered 404 UNREGISTERED: the device is gone.', 1795453495160, 1795453496408, 'portal', NULL, NULL, 1795453495278, 1, '', NULL, NULL, 'N1');
INSERT INTO public.messages VALUES ('01a2095e-2d42-7000-bfeb-43479c7925a1', 'mark', 'suppressed', '1A', 'https://a.example', '{"note":"N1"}', 'ea14a7032eb21e852606556f7b45e4835d712d6a1d88286aa8d4d0d26ead1346', 1, 1795453496705, NULL, NULL, 1795539896642, NULL, 'The same note went to the same class shortly before.', 1795453496642, 1795453496705, 'portal', NULL, NULL, NULL, NULL, '', NULL, NULL, 'N1');
INSERT INTO public.messages VALUES ('01a2095e-2edf-7000-a2de-e1e02cc3a2a8', 'mark', 'queued', '1A', 'https://a.example', '{"note":"N9"}', 'd6db68723d1062c37597c67599656b3eded26d6fadc7bd38aafa90d42c0459f3', 1, 1795539897055, NULL, NULL, 1795539897055, NULL, 'The note is not known.', 1795453497055, 1795453497138, 'portal', NULL, NULL, NULL, NULL, '', NULL, NULL, 'N9');
INSERT INTO public.messages VALUES ('01a2095e-2ee3-7000-8ec8-45d9fe2473a6', 'sms', 'sent', '+447911123410', '', NULL, '1d9d9f93b0800d411d396d397c0e1309cd6a639064bf999811b99a503b44053b', 1, 1795453497154, NULL, NULL, 1795453797059, 'sms-1', NULL, 1795453497059, 1795453497154, 'portal', 'n:GG:791112', NULL, NULL, NULL, '{"at":1795453497146,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":8,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-2f43-7000-aa98-8701c8066ab0', 'sms', 'sent', '+447911123411', '', NULL, '380e01410bac49a9d9b166aabdd5eddbe89ec5ad46134bc276f64fe6afe82a2f', 1, 1795453497234, NULL, NULL, 1795453797155, 'sms-1', NULL, 1795453497155, 1795453497234, 'portal', 'n:GG:791112', NULL, NULL, NULL, '{"at":1795453497196,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":37,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-2f6b-7000-9b7f-9d128013f22f', 'sms', 'sent', '+447911123412', '', NULL, '8905df8cb3d53401592048d7bd5a0196383f8ed608916b2859ecf1e41dcab687', 1, 1795453497276, NULL, NULL, 1795453797195, 'sms-1', NULL, 1795453497195, 1795453497276, 'portal', 'n:GG:791112', NULL, NULL, NULL, '{"at":1795453497266,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":10,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-2fc6-7000-b99a-8c0e8aee3e79', 'sms', 'sent', '+447911123413', '', NULL, 'ba4e8e0c22db94e9a97bc7e6cf2efd0ff786cb470faa258c458131e2b3e09781', 1, 1795453497312, NULL, NULL, 1795453797286, 'sms-1', NULL, 1795453497286, 1795453497312, 'portal', 'n:GG:791112', NULL, NULL, NULL, '{"at":1795453497306,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":6,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-2fe5-7000-b583-58864eca7d1d', 'sms', 'sent', '+447911123414', '', NULL, '5109bae242c8c49c5224d9f843dae1425619794f2777245efeeda3873ed7bb96', 1, 1795453497357, NULL, NULL, 1795453797317, 'sms-1', NULL, 1795453497317, 1795453497357, 'portal', 'n:GG:791112', NULL, NULL, NULL, '{"at":1795453497338,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":19,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-2ffb-7000-b5c6-94c8bf947b11', 'sms', 'sent', '+447911123415', '', NULL, 'c5c5b2b6221f6e8fba3041369d8a0fb7c15c3b7da2283dc82f9bed0d96a675bc', 1, 1795453497389, NULL, NULL, 1795453797339, 'sms-1', NULL, 1795453497339, 1795453497389, 'portal', 'n:GG:791112', NULL, NULL, NULL, '{"at":1795453497374,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":15,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-3022-7000-8b61-b3f736624a9b', 'sms', 'sent', '+447911123416', '', NULL, 'a63219af5052d42be35b07269356b0bf29619cd1352df6b7b132e0b261d39f5d', 1, 1795453497435, NULL, NULL, 1795453797378, 'sms-1', NULL, 1795453497378, 1795453497435, 'portal', 'n:GG:791112', NULL, NULL, NULL, '{"at":1795453497426,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":7,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-305c-7000-a182-0f1e289dbc2e', 'sms', 'sent', '+447911123417', '', NULL, '2dd144f70dcda15b278d3801058447ebc726ef9a3848faafc6f16add64abb2fe', 1, 1795453497472, NULL, NULL, 1795453797436, 'sms-1', NULL, 1795453497436, 1795453497472, 'portal', 'n:GG:791112', NULL, NULL, NULL, '{"at":1795453497471,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":1,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-307e-7000-8bc8-2801546ae121', 'sms', 'sent', '+447911123418', '', NULL, 'a799b335c4b360de43531c8793b7ff3ae6ecf4c9f9ffc9575d6c4a5b2f4f592f', 1, 1795453497480, NULL, NULL, 1795453797470, 'sms-1', NULL, 1795453497470, 1795453497480, 'portal', 'n:GG:791112', NULL, NULL, NULL, '{"at":1795453497479,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":1,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-3085-7000-af34-9bbe74eb88b5', 'sms', 'sent', '+447911123419', '', NULL, 'ff5bd31891ff196a2cf2a8627263210a3c884493fbbf45a566ec7fdcd68bea87', 1, 1795453497499, NULL, NULL, 1795453797477, 'sms-1', NULL, 1795453497477, 1795453497499, 'portal', 'n:GG:791112', NULL, NULL, NULL, '{"at":1795453497490,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":9,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-308d-7000-a65d-b35f5ec9575c', 'sms', 'sent', '+447911123420', '', NULL, '24257263026fc80248e03ae4884ca41141652f3a163d7f66c061b3fd6253834d', 1, 1795453497528, NULL, NULL, 1795453797485, 'sms-1', NULL, 1795453497485, 1795453497528, 'portal', 'n:GG:791112', NULL, NULL, NULL, '{"at":1795453497516,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":11,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-30b8-7000-9f0f-cc18b03b783b', 'sms', 'sent', '+447911123421', '', NULL, '287fa56315c5081bff8965306413b8334f3ede54c491256c82f8d8c7dc034ad8', 1, 1795453497564, NULL, NULL, 1795453797528, 'sms-1', NULL, 1795453497528, 1795453497564, 'portal', 'n:GG:791112', NULL, NULL, NULL, '{"at":1795453497559,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":5,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-30dd-7000-a0e3-b5688ec96b64', 'sms', 'sent', '+447911123422', '', NULL, 'aa9375ce11e436acc1df73cc635272c200da4db4d10387f192c957175c91d333', 1, 1795453497631, NULL, NULL, 1795453797565, 'sms-1', NULL, 1795453497565, 1795453497631, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453497630,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":1,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-312b-7000-ac0b-8e4a29751fb0', 'sms', 'sent', '+447911123424', '', NULL, 'ae48ca407554c74d0a14d3827a91430c28b9ffddbff66e84e562217bb93aa9aa', 1, 1795453497669, NULL, NULL, 1795453797643, 'sms-1', NULL, 1795453497643, 1795453497669, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453497658,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":10,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-315c-7000-9420-a51bbfa09b49', 'sms', 'sent', '+447911123426', '', NULL, '46a86c2ae26cb3956f318a2803c1203784dd3da5d7cfd9d0aa4811081d82ab54', 1, 1795453497790, NULL, NULL, 1795453797692, 'sms-1', NULL, 1795453497692, 1795453497790, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453497778,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":12,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095f-6d06-7000-9652-dc402c8fad4e', 'mark', 'open', '1B', 'https://a.example', '{"note":"N1"}', '0ae6b7984796d2f977e2964313e9b411dcb7fe3725cf2383e242dccd0f310606', 1, 1795453578640, NULL, NULL, 1795539978502, NULL, NULL, 1795453578502, 1795453578640, 'portal', NULL, NULL, 1795453578541, 0, '', NULL, NULL, 'N1');
INSERT INTO public.messages VALUES ('01a2095e-3222-7000-a5a2-ea100c539a06', 'sms', 'sent', '+447911123428', '', NULL, 'edd43510a22ea1eadb5a2c3878fb58738b07e60fcb8fa4c91992afc9c1528a5b', 1, 1795453497974, NULL, NULL, 1795453797890, 'sms-1', NULL, 1795453497890, 1795453497974, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453497942,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":32,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-3487-7000-be6a-9dce60e8a41b', 'sms', 'sent', '+447911123439', '', NULL, 'fd38c5b081a74be18decdd46d4d39017de209145848664c8bac0683b421d5eaa', 1, 1795453498550, NULL, NULL, 1795453798503, 'sms-1', NULL, 1795453498503, 1795453498550, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453498543,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":6,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095f-6d2d-7000-8154-6ddce8d92808', 'push', 'queued', 'D4', 'https://a.example', '{"note":"N1"}', NULL, 2, 1795453580981, NULL, NULL, 1795539978502, NULL, 'The provider answered 503.', 1795453578541, 1795453579212, 'portal', NULL, '01a2095f-6d06-7000-9652-dc402c8fad4e', NULL, NULL, '{"at":1795453578664,"provider":"fcm","outcome":"failing","status":503,"reason":"The provider answered 503.","milliseconds":48}
{"at":1795453579202,"provider":"fcm","outcome":"failing","status":503,"reason":"The provider answered 503.","milliseconds":11}
', NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('01a2095f-6c14-7000-b9ae-c43617a2811c', 'sms', 'queued', '+491701234567', '', '{"code":"555555"}', 'c88adcaf54c2853677be6639bc16501627fbf18c5e5a2ce0154cab46dbd1b151', 2, 1795453580525, NULL, NULL, 1795453878260, NULL, 'The provider answered 503.', 1795453578260, 1795453579212, 'portal', 'n:DE:170123', NULL, NULL, NULL, '{"at":1795453578291,"provider":"http","outcome":"failing","status":503,"reason":"The provider answered 503.","milliseconds":31}
{"at":1795453579115,"provider":"http","outcome":"failing","status":503,"reason":"The provider answered 503.","milliseconds":97}
', NULL, 'DE', NULL);
INSERT INTO public.messages VALUES ('01a2095e-311b-7000-b527-8809cd051f8a', 'sms', 'sent', '+447911123423', '', NULL, '62b621f3d51caca686119822873d0750b4af9b902caa751c6aec7d73ddb19528', 1, 1795453497644, NULL, NULL, 1795453797627, 'sms-1', NULL, 1795453497627, 1795453497644, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453497643,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":1,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095f-6eca-7000-84ed-fb67b5b0c540', 'sms', 'sending', '+905551112266', '', '{"code":"444444"}', '22b083d02958313636a2fbfe3cae8259d09c78432fe715408c57b16942c64fcf', 1, 1795453578954, 'vm 2551 c3f93e58', 1795453879002, 1795453878954, NULL, NULL, 1795453578954, 1795453579002, 'portal', 'h:TR:555111', NULL, NULL, NULL, NULL, NULL, 'TR', NULL);
INSERT INTO public.messages VALUES ('01a2095e-3134-7000-b7ed-b4775c99f4c2', 'sms', 'sent', '+447911123425', '', NULL, '5f6300953940d6d762e006a17a0aa9e6bd9d0c67550caba173f0044caad3b18d', 1, 1795453497692, NULL, NULL, 1795453797652, 'sms-1', NULL, 1795453497652, 1795453497692, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453497690,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":2,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-31c8-7000-8e41-aab7908c7aab', 'sms', 'sent', '+447911123427', '', NULL, '23861eab61d65cb667cac535837631be50895a77632dc4511bc99cc33d686ca6', 1, 1795453497890, NULL, NULL, 1795453797800, 'sms-1', NULL, 1795453497800, 1795453497890, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453497878,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":12,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-326f-7000-917a-e2e6269663ff', 'sms', 'sent', '+447911123429', '', NULL, 'ac892328dcbb84abf84f6e34e383858722c3bc28d80713d0fd725b5ce9be112c', 1, 1795453498010, NULL, NULL, 1795453797967, 'sms-1', NULL, 1795453497967, 1795453498010, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453497996,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":14,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-328b-7000-86f4-a2580a37678a', 'sms', 'sent', '+447911123430', '', NULL, '3f874be61a74d7adb97d8d1d5b7d8e2c2b442a75e6e1fd9195d3d2a09faa0486', 1, 1795453498050, NULL, NULL, 1795453797995, 'sms-1', NULL, 1795453497995, 1795453498050, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453498042,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":8,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-32c3-7000-9bd4-b759795cb92e', 'sms', 'sent', '+447911123431', '', NULL, '4414a1f41daf07477036de6a8108693cbca2391e1046c8497c7a53921c938f0e', 1, 1795453498086, NULL, NULL, 1795453798051, 'sms-1', NULL, 1795453498051, 1795453498086, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453498084,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":1,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-32e6-7000-83c9-0e7b469cd624', 'sms', 'sent', '+447911123432', '', NULL, '93ee132cc1a56da294e1de491bb9bf18c8ea78dc9465fd4604e324b30e65066b', 1, 1795453498167, NULL, NULL, 1795453798086, 'sms-1', NULL, 1795453498086, 1795453498167, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453498131,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":36,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-3317-7000-9009-eef990b06d9f', 'sms', 'sent', '+447911123433', '', NULL, '0ecba9f0643335758f04431829ea256cd54e726307d80eaa6e35cc6efa7bcfd4', 1, 1795453498242, NULL, NULL, 1795453798135, 'sms-1', NULL, 1795453498135, 1795453498242, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453498226,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":16,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-335b-7000-9f9c-c08410914881', 'sms', 'sent', '+447911123434', '', NULL, '4d31c5818c6aedf489b549a3423b74daa0fd53e11c64e799f82221e129b90dea', 1, 1795453498288, NULL, NULL, 1795453798203, 'sms-1', NULL, 1795453498203, 1795453498288, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453498274,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":14,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-33b1-7000-8f5c-b4fee55d31d4', 'sms', 'sent', '+447911123435', '', NULL, '8966a81b3585121355f7c1da16da3ddcb070dc130a0494c0c5c8d91fdde54a90', 1, 1795453498394, NULL, NULL, 1795453798289, 'sms-1', NULL, 1795453498289, 1795453498394, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453498378,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":16,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-33f6-7000-8a81-200dd4ad82eb', 'sms', 'sent', '+447911123436', '', NULL, '17913a5850a1c3c986e1370b42278ecb5b5284276a7028b650b1dce99527073c', 1, 1795453498405, NULL, NULL, 1795453798358, 'sms-1', NULL, 1795453498358, 1795453498405, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453498387,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":18,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-344b-7000-87c5-9e0c0aa6d655', 'sms', 'sent', '+447911123438', '', NULL, '61788b23a38820217944578a8c1aed689961c4ef1014edf471a5ea0150570d6c', 1, 1795453498502, NULL, NULL, 1795453798443, 'sms-1', NULL, 1795453498443, 1795453498502, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453498458,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":44,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.messages VALUES ('01a2095e-3424-7000-9907-fbd510cd17b3', 'sms', 'sent', '+447911123437', '', NULL, '43af798420c429d7bcfce76aa2608691a38f973566fdf391c9f4a31f631778b1', 1, 1795453498444, NULL, NULL, 1795453798404, 'sms-1', NULL, 1795453498404, 1795453498444, 'portal', NULL, NULL, NULL, NULL, '{"at":1795453498432,"provider":"http","outcome":"sent","status":200,"providerId":"sms-1","milliseconds":12,"parts":1}
', 1, 'GG', NULL);
INSERT INTO public.nodes VALUES ('vm:2551', 1795453554365, '{"version":"0.1.0","processes":1,"circuits":[{"channel":"sms","isOpen":false},{"channel":"push","isOpen":false}],"disk":{"free":81649618944,"size":270553174016}}');
INSERT INTO public.note_types VALUES ('1', 'Exam');
INSERT INTO public.notes VALUES (1, 'N1', '1', 'A mark', 'It is there');
INSERT INTO public.notes VALUES (1, 'N2', NULL, 'Another', 'Two, with a comma');
INSERT INTO public.schools VALUES (1, 'https://a.example', 'A school');
INSERT INTO public.schools VALUES (2, 'https://b.example', 'Another school');
INSERT INTO public.students VALUES (1, 'S3', 'Çağrı', 'N', '1A', '');
INSERT INTO public.students VALUES (1, 'S5', 'No class', 'Y', NULL, '');
INSERT INTO public.students VALUES (1, 'S4', 'فاطمة', 'Y', '1B', 'D4');
INSERT INTO public.students VALUES (1, 'S1', 'Ayşe Yılmaz', 'Y', '1A', 'D1');
INSERT INTO public.students VALUES (1, 'S2', 'أحمد', 'Y', '1A', '');
SELECT pg_catalog.setval('public.schools_id_seq', 2, true);
ALTER TABLE ONLY public.caller_codes
    ADD CONSTRAINT caller_codes_key PRIMARY KEY (day, caller);
ALTER TABLE ONLY public.caller_days
    ADD CONSTRAINT caller_days_key PRIMARY KEY (day, caller, address, agent, operation, binding);
ALTER TABLE ONLY public.classes
    ADD CONSTRAINT classes_key PRIMARY KEY (school_id, id);
ALTER TABLE ONLY public.code_traffic
    ADD CONSTRAINT code_traffic_key PRIMARY KEY (area, caller, day);
ALTER TABLE ONLY public.daily_usage
    ADD CONSTRAINT daily_usage_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.devices
    ADD CONSTRAINT devices_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.exam_entries
    ADD CONSTRAINT exam_entries_key PRIMARY KEY (exam_id, subject_name);
ALTER TABLE ONLY public.exams
    ADD CONSTRAINT exams_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.figures
    ADD CONSTRAINT figures_key PRIMARY KEY (step, at, figure, first, second, third);
ALTER TABLE ONLY public.held_areas
    ADD CONSTRAINT held_areas_key PRIMARY KEY (area, caller);
ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.note_types
    ADD CONSTRAINT note_types_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_key PRIMARY KEY (school_id, id);
ALTER TABLE ONLY public.schools
    ADD CONSTRAINT schools_base_url_key UNIQUE (base_url);
ALTER TABLE ONLY public.schools
    ADD CONSTRAINT schools_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.students
    ADD CONSTRAINT students_key PRIMARY KEY (school_id, id);
CREATE INDEX codes_by_age ON public.messages USING btree ((
CASE
    WHEN (dedupe_key IS NULL) THEN 1
    ELSE 0
END), created_at) WHERE ((channel = 'sms'::text) AND (recipient !~~ '%...%'::text));
CREATE INDEX daily_usage_by_day ON public.daily_usage USING btree (day);
CREATE INDEX devices_by_student ON public.devices USING btree (school_id, student_id, valid, last_seen, id);
CREATE INDEX messages_by_area ON public.messages USING btree (area, created_at) WHERE (area IS NOT NULL);
CREATE INDEX messages_by_masked_phone ON public.messages USING btree (recipient, id) WHERE ((channel = 'sms'::text) AND (recipient ~~ '%...%'::text));
CREATE INDEX messages_by_phone_end ON public.messages USING btree (substr(('000000'::text || recipient), length(recipient)), created_at) WHERE ((channel = 'sms'::text) AND (recipient !~~ '%...%'::text));
CREATE INDEX messages_by_reason ON public.messages USING btree (last_error, id) WHERE (last_error IS NOT NULL);
CREATE INDEX messages_by_request ON public.messages USING btree (request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX messages_by_school ON public.messages USING btree (substr(school, 1, 200), id) WHERE (school <> ''::text);
CREATE INDEX messages_by_state ON public.messages USING btree (state, channel, id) WHERE (state <> ALL (ARRAY['queued'::text, 'sending'::text]));
CREATE INDEX messages_due ON public.messages USING btree (channel, next_attempt_at, id) WHERE (state = 'queued'::text);
CREATE INDEX messages_leased ON public.messages USING btree (lease_until) WHERE (state = 'sending'::text);
CREATE INDEX messages_with_request_key ON public.messages USING btree (updated_at) WHERE ((channel = 'mark'::text) AND (dedupe_key IS NOT NULL));
CREATE INDEX pushes_by_device ON public.messages USING btree (recipient, id) WHERE (channel = 'push'::text);
CREATE INDEX requests_by_class ON public.messages USING btree (recipient, id) WHERE (channel = 'mark'::text);
CREATE INDEX requests_by_key ON public.messages USING btree (dedupe_key) WHERE ((channel = 'mark'::text) AND (dedupe_key IS NOT NULL));
CREATE INDEX requests_by_note ON public.messages USING btree (note, id) WHERE (channel = 'mark'::text);
CREATE INDEX requests_by_school ON public.messages USING btree (substr(school, 1, 200), id, channel) WHERE (channel = 'mark'::text);
CREATE INDEX students_by_class ON public.students USING btree (school_id, class_id);
CREATE INDEX students_by_flag ON public.students USING btree (school_id, show_active, id);
ALTER TABLE ONLY public.classes
    ADD CONSTRAINT classes_school_id_fkey FOREIGN KEY (school_id) REFERENCES public.schools(id);
ALTER TABLE ONLY public.devices
    ADD CONSTRAINT devices_student FOREIGN KEY (school_id, student_id) REFERENCES public.students(school_id, id);
ALTER TABLE ONLY public.exam_entries
    ADD CONSTRAINT exam_entries_exam_id_fkey FOREIGN KEY (exam_id) REFERENCES public.exams(id);
ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_note_type_fkey FOREIGN KEY (note_type) REFERENCES public.note_types(id);
ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_school_id_fkey FOREIGN KEY (school_id) REFERENCES public.schools(id);
ALTER TABLE ONLY public.students
    ADD CONSTRAINT students_class FOREIGN KEY (school_id, class_id) REFERENCES public.classes(school_id, id);
ALTER TABLE ONLY public.students
    ADD CONSTRAINT students_school_id_fkey FOREIGN KEY (school_id) REFERENCES public.schools(id);
