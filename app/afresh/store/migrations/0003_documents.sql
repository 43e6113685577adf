-- Of which content of a document notes were taken, and by which version of the rules: what is missing here, or
-- differs, is read again.
CREATE TABLE documents (
    checkout_id BIGINT NOT NULL,
    path VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    rules BIGINT NOT NULL
);

-- What decision records say of themselves; which of them is replaced follows from all of a checkout's.
CREATE TABLE decisions (
    checkout_id BIGINT NOT NULL,
    path VARCHAR NOT NULL,
    number BIGINT,
    status VARCHAR,
    decided DATE,
    superseded_by VARCHAR[] NOT NULL,
    supersedes VARCHAR[] NOT NULL
);

-- Checkouts whose commits are kept as memories, and how far back.
CREATE TABLE followed_commits (
    checkout_id BIGINT NOT NULL,
    depth BIGINT NOT NULL,
    head VARCHAR NOT NULL
);
