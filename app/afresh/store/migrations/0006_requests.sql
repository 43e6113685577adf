-- What agents and editors asked, for thirty days. Texts are cut to a bound and hold no secrets; their lengths are
-- those of what was sent and answered.
CREATE SEQUENCE request_ids;

CREATE TABLE requests (
    id BIGINT NOT NULL,
    client VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    cwd VARCHAR,
    session VARCHAR,
    tool VARCHAR NOT NULL,
    asked VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    arguments VARCHAR NOT NULL,
    arguments_length BIGINT NOT NULL,
    result VARCHAR,
    result_length BIGINT NOT NULL,
    error_kind VARCHAR,
    error VARCHAR,
    redacted BIGINT NOT NULL,
    started_at TIMESTAMP NOT NULL,
    elapsed_ms DOUBLE NOT NULL
);
