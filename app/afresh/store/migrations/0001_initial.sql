-- Ids come from sequences and writes go one at a time, so the large tables carry no indexes: a scan of
-- 100,000 ids takes a millisecond, and every index would be kept in memory and replayed from the log.
-- What is fetched by the row is stored uncompressed: to give one value of a compressed column, its whole block
-- is unpacked, and packing 100,000 vectors, which gains nothing, made a checkpoint five times as long.
CREATE SEQUENCE project_ids;
CREATE SEQUENCE checkout_ids;
CREATE SEQUENCE outline_ids;
CREATE SEQUENCE memory_ids;
CREATE SEQUENCE memo_ids;

CREATE TYPE owner_kind AS ENUM ('memory', 'memo');

CREATE TABLE projects (
    id BIGINT NOT NULL,
    name VARCHAR NOT NULL,
    identity VARCHAR NOT NULL,
    created_at TIMESTAMP NOT NULL
);

CREATE TABLE checkouts (
    id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    root VARCHAR NOT NULL,
    created_at TIMESTAMP NOT NULL
);

CREATE TABLE files (
    checkout_id BIGINT NOT NULL,
    path VARCHAR NOT NULL,
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    ctime_ns BIGINT NOT NULL,
    inode UBIGINT NOT NULL,
    sha256 VARCHAR NOT NULL,
    eol_sha256 VARCHAR NOT NULL,
    language VARCHAR,
    hashed_at_ns BIGINT NOT NULL,
    indexed_at TIMESTAMP NOT NULL
);

CREATE TABLE excluded (
    checkout_id BIGINT NOT NULL,
    path VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    detail VARCHAR NOT NULL,
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    ctime_ns BIGINT NOT NULL,
    inode UBIGINT NOT NULL,
    hashed_at_ns BIGINT NOT NULL
);

CREATE TABLE outlines (
    id BIGINT NOT NULL,
    sha256 VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    error VARCHAR
);

CREATE TABLE symbols (
    outline_id BIGINT NOT NULL,
    ordinal INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    qualified_name VARCHAR NOT NULL,
    start_line BIGINT NOT NULL,
    end_line BIGINT NOT NULL,
    start_byte BIGINT NOT NULL,
    end_byte BIGINT NOT NULL,
    source_sha256 VARCHAR NOT NULL,
    tokens_sha256 VARCHAR NOT NULL
);

CREATE TABLE memories (
    id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    checkout_id BIGINT,
    content VARCHAR USING COMPRESSION uncompressed NOT NULL,
    content_sha256 VARCHAR USING COMPRESSION uncompressed NOT NULL,
    type VARCHAR NOT NULL,
    memory_type VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    tags VARCHAR[] NOT NULL,
    branch VARCHAR,
    agent_id VARCHAR,
    agent_instance_id VARCHAR,
    session_id VARCHAR,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    event_time TIMESTAMP,
    expires_at TIMESTAMP,
    superseded_by BIGINT,
    deleted_at TIMESTAMP,
    version BIGINT NOT NULL,
    source_kind VARCHAR NOT NULL,
    source_path VARCHAR,
    source_line BIGINT,
    source_end_line BIGINT,
    external_id VARCHAR,
    term_count BIGINT NOT NULL
);

-- The whole row as it was before the change that `action` names; `version` is the version of that row.
CREATE TABLE memory_history AS
    SELECT *, ''::VARCHAR AS action, NULL::VARCHAR AS reason, TIMESTAMP '1970-01-01' AS changed_at
    FROM memories WITH NO DATA;

CREATE TABLE citations (
    owner owner_kind NOT NULL,
    owner_id BIGINT NOT NULL,
    ordinal INTEGER NOT NULL,
    root VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    eol_sha256 VARCHAR NOT NULL,
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    ctime_ns BIGINT NOT NULL,
    inode UBIGINT NOT NULL,
    hashed_at_ns BIGINT NOT NULL,
    language VARCHAR,
    spans VARCHAR NOT NULL
);

CREATE TABLE postings (
    owner owner_kind NOT NULL,
    owner_id BIGINT NOT NULL,
    term UBIGINT NOT NULL,
    frequency USMALLINT NOT NULL
);

CREATE TABLE vectors (
    owner owner_kind NOT NULL,
    owner_id BIGINT NOT NULL,
    chunk INTEGER NOT NULL,
    model VARCHAR NOT NULL,
    vector BLOB USING COMPRESSION uncompressed NOT NULL
);

CREATE TABLE vector_queue (
    owner owner_kind NOT NULL,
    owner_id BIGINT NOT NULL,
    queued_at TIMESTAMP NOT NULL,
    asked_at TIMESTAMP
);

CREATE TABLE memos (
    id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    root VARCHAR NOT NULL,
    question VARCHAR NOT NULL,
    question_key VARCHAR NOT NULL,
    conclusion VARCHAR NOT NULL,
    recorded_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    retired_at TIMESTAMP,
    superseded_by BIGINT,
    version BIGINT NOT NULL
);

-- The memo as it was before the change that `action` names; `files` is JSON.
CREATE TABLE memo_history (
    memo_id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    root VARCHAR NOT NULL,
    question VARCHAR NOT NULL,
    conclusion VARCHAR NOT NULL,
    files VARCHAR NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    retired_at TIMESTAMP,
    superseded_by BIGINT,
    action VARCHAR NOT NULL,
    note VARCHAR NOT NULL,
    changed_at TIMESTAMP NOT NULL
);

CREATE TABLE snapshots (
    sha256 VARCHAR NOT NULL,
    content BLOB USING COMPRESSION uncompressed NOT NULL,
    size BIGINT NOT NULL,
    created_at TIMESTAMP NOT NULL
);
