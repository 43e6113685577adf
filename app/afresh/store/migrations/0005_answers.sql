-- Answers with their citations, so that each can be proved again. The evidence is kept by id, hash and range,
-- never as text; what was answered and quoted is the answer itself. One over all projects has no project_id.
CREATE SEQUENCE answer_ids;

CREATE TABLE answers (
    id BIGINT NOT NULL,
    project_id BIGINT,
    query VARCHAR NOT NULL,
    branch VARCHAR,
    type VARCHAR NOT NULL,
    answer VARCHAR NOT NULL,
    draft VARCHAR NOT NULL,
    verification VARCHAR,
    negative VARCHAR,
    caveat VARCHAR,
    mode VARCHAR NOT NULL,
    model VARCHAR,
    note VARCHAR,
    evidence VARCHAR NOT NULL,
    citations VARCHAR NOT NULL,
    search_calls BIGINT NOT NULL,
    followup_query VARCHAR,
    llm_calls BIGINT NOT NULL,
    prompts VARCHAR[] NOT NULL,
    answered_at TIMESTAMP NOT NULL,
    elapsed_ms DOUBLE NOT NULL
);
