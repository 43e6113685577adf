-- Iterative recalls as they went. The evidence is kept by id, score and hash, never as text: what is deleted
-- must not live on in a record of how it was found. A run over all projects has no project_id.
CREATE SEQUENCE run_ids;

CREATE TABLE runs (
    id BIGINT NOT NULL,
    project_id BIGINT,
    query VARCHAR NOT NULL,
    max_iters BIGINT NOT NULL,
    k_per_iter BIGINT NOT NULL,
    llm_model VARCHAR NOT NULL,
    planner VARCHAR NOT NULL,
    model VARCHAR,
    sub_queries VARCHAR[] NOT NULL,
    terminated_reason VARCHAR NOT NULL,
    error VARCHAR,
    evidence VARCHAR NOT NULL,
    llm_calls BIGINT NOT NULL,
    prompts VARCHAR[] NOT NULL,
    index_state VARCHAR NOT NULL,
    started_at TIMESTAMP NOT NULL,
    elapsed_ms DOUBLE NOT NULL,
    replay_of BIGINT
);

CREATE TABLE run_steps (
    run_id BIGINT NOT NULL,
    iteration INTEGER NOT NULL,
    sub_query VARCHAR NOT NULL,
    origin VARCHAR NOT NULL,
    hits VARCHAR NOT NULL,
    new_evidence BIGINT[] NOT NULL,
    partial_answer VARCHAR NOT NULL,
    planner_done BOOLEAN NOT NULL,
    planner_next_query VARCHAR,
    planner_parse_attempts INTEGER NOT NULL,
    planner_error VARCHAR,
    prompts VARCHAR[] NOT NULL,
    search_ms DOUBLE NOT NULL,
    planner_ms DOUBLE NOT NULL,
    elapsed_ms DOUBLE NOT NULL
);
