"""What is asked and how it is verified: task files, importers, built-in tasks and samples."""
